#include "analyzer/core/sending.h"

#include <errno.h>

/* A connection that broke sends nothing for longer than this; what had been sent is sent again right after. */
#define SENDING_PAUSE_NS UINT64_C(10000000)

/*
 * One that broke again before it was made waits for ms_initial_backoff, 0.2 s unless set, by the messenger's clock. What had not been sent
 * by then is sent first, and of what had been sent there may be nothing: after such a pause a client known to lose its connections needs
 * to send nothing again for it.
 */
#define SENDING_BACKOFF_NS UINT64_C(190000000)

static struct effects_operation operation_of(const struct event *event, const struct image *image)
{
	return (struct effects_operation){
	    .now_ns = event->time_ns,
	    .object_hash = event->sent.object_hash,
	    .flags = event->sent.flags,
	    .code = event->sent.code,
	    .offset_bytes = event->sent.offset_bytes,
	    .length_bytes = event->sent.length_bytes,
	    .object_size_bytes = image->object_size_bytes,
	};
}

/* The last pause was a broken connection's. Returns 0 or -ENOMEM. */
static int was_cut(const struct user *user)
{
	int status = 0;

	for (size_t i = 0; i < user->client_count && !status; i++)
		status = coverage_add(&user->clients[i]->claims.cut, user->pause_ns, user->paused_ns);
	return status;
}

/* The requests that it carries have had their N. Returns 0 or a negative errno. */
static int carry_again(struct user *user, const struct event *event)
{
	int joins = 0;

	if (event->time_ns - user->paused_ns < SENDING_PAUSE_NS && was_cut(user))
		return -ENOMEM;
	user->sent_again = 1;
	for (size_t i = 0; i < user->client_count && !joins; i++) {
		const struct client *client = user->clients[i];
		const struct effects_operation operation = operation_of(event, client->image);

		joins = client->effects ? effects_resent(client->effects, &operation) : 0;
	}
	return joins < 0 ? joins : 0;
}

/* The operation may carry requests of the client. Returns how many, or -ENOMEM. */
static int64_t carry(const struct client *client, const struct event *event)
{
	struct image *image = client->image;
	struct effects_operation operation = operation_of(event, image);
	uint64_t joins, choices;
	int status;

	if (!client->effects)
		return 0;
	operation.group = placement_groups_get(&image->placement_groups, event->sent.pool_id, event->sent.placement_group);
	if (!operation.group)
		return -ENOMEM;
	status = effects_sent(client->effects, &operation, &joins, &choices);
	operation.group->operations += joins > 0;
	image->operations += joins > 0;
	image->ambiguous_joins += choices;
	return status ? status : (int64_t)joins;
}

int sending_feed(struct process *process, const struct event *event)
{
	struct user *user = users_get(&process->users, event->sent.client);
	int64_t joins = 0;

	process->sending = 1;
	if (!user)
		return -ENOMEM;
	if (user->sent_ns && event->time_ns - user->sent_ns >= SENDING_PAUSE_NS) {
		user->pause_ns = user->sent_ns;
		user->paused_ns = event->time_ns;
		if (user->sent_again && user->paused_ns - user->pause_ns >= SENDING_BACKOFF_NS && was_cut(user))
			return -ENOMEM;
	}
	user->sent_ns = event->time_ns;
	if (!user->client_count)
		return 0;
	if (user_sends(user, event->sent.transaction)) {
		user->clients[0]->image->resent++;
		joins = carry_again(user, event);
	} else {
		for (size_t i = 0; i < user->client_count && !joins; i++)
			joins = carry(user->clients[i], event);
		user->clients[0]->image->unmatched_operations += joins == 0;
	}
	return joins < 0 ? (int)joins : 0;
}
