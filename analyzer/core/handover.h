/*
 * What a handover of the exclusive lock is made of. It knows the steps, the moments between which they lie and how the time between
 * two moments is shared out; it does not know whose lock it is, nor where the moments come from.
 *
 * A handover begins at the last completion under one tenure and ends at the first completion under the next that served anything; tenures
 * that served nothing lie inside it. It is walked along its moments in causal order. Each moment is clamped to [the one before, the end],
 * a missing one (0) has no length, so the steps add up to the handover exactly, whatever the moments are.
 *
 * Between the last completion and lock.unlock, and between the reply to lock.lock and ACQUIRED, the time belongs to the operation that
 * is outstanding for the longest: segments say which that was, see outstanding.h. Two gaps that no operation covers have no step of their
 * own and are `librbd`: between the reply to lock.unlock and RELEASED, and between the reply to lock.get_info and lock.lock.
 * If the lock had to be broken, break_lock lies in the latter and is the step `unlock`: it is the unlock that its owner did not send. The
 * wait until the breaker asked for the last time (a dead owner's watch must expire first) is `wake`.
 */
#ifndef RBDPROF_ANALYZER_CORE_HANDOVER_H
#define RBDPROF_ANALYZER_CORE_HANDOVER_H

#include <stddef.h>
#include <stdint.h>

/* The steps of a handover, a closed list; the names are also the keys of the JSON report. */
#define HANDOVER_STEPS(STEP)                                                                                                               \
	STEP(DRAIN, drain)                       /* the old owner's last appends and notifications come home */                            \
	STEP(JOURNAL_CLOSE, journal_close)       /* its journal's position is written, its watch on it ends */                             \
	STEP(OBJECT_MAP_CLOSE, object_map_close) /* its object map is unlocked */                                                          \
	STEP(UNLOCK, unlock)                     /* lock.unlock, sent to done; break_lock likewise */                                      \
	STEP(NOTICE, notice)                     /* RELEASED, until the new owner has it */                                                \
	STEP(WAKE, wake)                         /* until the new owner asks for the lock again */                                         \
	STEP(GET_INFO, get_info)                 /* lock.get_info */                                                                       \
	STEP(LOCK, lock)                         /* lock.lock, to the reply 0 */                                                           \
	STEP(REFRESH, refresh)                   /* from here to ACQUIRED: rereading the header */                                         \
	STEP(OBJECT_MAP, object_map)             /* locking and loading the object map */                                                  \
	STEP(JOURNAL_OPEN, journal_open)         /* reading the journal's header */                                                        \
	STEP(REPLAY, replay)                     /* reading its entries back */                                                            \
	STEP(TAG, tag)                           /* allocating a tag for this tenure's entries */                                          \
	STEP(LIBRBD, librbd)                     /* what no operation explains */                                                          \
	STEP(FIRST_OPERATION, first_operation)   /* from ACQUIRED until the first operation of a request is sent */                        \
	STEP(FIRST_COMPLETION, first_completion) /* until the first request is complete */                                                 \
	STEP(OWNER_NOT_SEEN, owner_not_seen)     /* an owner was not traced: all before RELEASED came in */

enum handover_step {
#define STEP(upper, lower) STEP_##upper,
	HANDOVER_STEPS(STEP)
#undef STEP
	STEP_COUNT
};

/* The step's name; static. */
const char *handover_step_name(enum handover_step step);

/* From begin_ns to the next one's begin the time belongs to this step. */
struct segment {
	uint64_t begin_ns;
	enum handover_step step;
};

/* Zeroed memory is none. */
struct segments {
	struct segment *list; /* owned; begins rise */
	size_t count;
	size_t room;
	size_t kept;       /* the first so many are never forgotten … */
	uint64_t floor_ns; /* … the others once they ended before this */
};

void segments_fini(struct segments *segments);

/* From now_ns on the time belongs to the step. Returns 0 or -ENOMEM. */
int segments_add(struct segments *segments, uint64_t now_ns, enum handover_step step);

/* What is seen of one tenure, in ns; 0: not seen. The causal order is the order here. */
struct tenure_moments {
	/* How it came about. */
	uint64_t noticed_ns;  /* the new owner received RELEASED, before get_info */
	uint64_t get_info_ns; /* the last lock.get_info before the lock was got: sent, and done */
	uint64_t got_info_ns;
	uint64_t break_ns; /* lock.break_lock of the owner before: sent, and done */
	uint64_t broke_ns;
	uint64_t lock_ns; /* lock.lock: sent, and done with 0 */
	uint64_t locked_ns;
	uint64_t acquired_ns; /* ACQUIRED sent, or else the lock said to be usable */
	uint64_t effect_ns;   /* the first operation of a request sent */
	/* How it ended. */
	uint64_t unlock_ns; /* lock.unlock: sent, and done */
	uint64_t unlocked_ns;
	uint64_t released_ns; /* RELEASED sent, and answered by everybody */
	uint64_t answered_ns;
};

struct handover {
	uint64_t begin_ns;
	uint64_t now_ns; /* how far it has been walked */
	uint64_t steps[STEP_COUNT];
};

/* The last completion under a tenure. */
void handover_begin(struct handover *handover, uint64_t last_ns);

/*
 * That tenure, or one that served nothing, gives the lock up. next: how the next tenure came about, which begins at until_ns; same: it
 * is the same client's. A client waits for the answers to its own RELEASED before it asks again, which stands for its reception then.
 */
void handover_release(struct handover *handover, const struct tenure_moments *moments, const struct segments *segments,
		      const struct tenure_moments *next, int same, uint64_t until_ns);

/* What was walked so far, and what follows up to until_ns, was under an owner that is not traced. */
void handover_unseen(struct handover *handover, uint64_t until_ns);

/* A tenure comes about; nothing of it is walked beyond until_ns. */
void handover_acquire(struct handover *handover, const struct tenure_moments *moments, const struct segments *segments, uint64_t until_ns);

/* It serves its first request, complete at first_ns: the steps are final, their sum is first_ns − begin_ns. */
void handover_end(struct handover *handover, const struct tenure_moments *moments, uint64_t first_ns);

#endif
