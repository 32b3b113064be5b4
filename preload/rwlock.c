/* Readers' and writers' locks; the two sides are told apart. */
#include "preload/contended.h"
#include "preload/real.h"

APART int rdlock_later(pthread_rwlock_t *lock, const void *caller, int tried)
{
	ACQUIRE_LATER(RBDPROF_RWLOCK_READ, lock, caller, tried, REAL(pthread_rwlock_rdlock)(lock));
}

APART int rdlock(pthread_rwlock_t *lock, const void *caller)
{
	ACQUIRE(RBDPROF_RWLOCK_READ, lock, caller, REAL(pthread_rwlock_tryrdlock)(lock), REAL(pthread_rwlock_rdlock)(lock), rdlock_later);
}

WRAPS(pthread_rwlock_rdlock)
int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	return DORMANT(pthread_rwlock_rdlock) ? real.pthread_rwlock_rdlock(lock) : rdlock(lock, CALLER);
}

WRAPS(pthread_rwlock_tryrdlock)
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	TRY(RBDPROF_RWLOCK_READ, lock, REAL(pthread_rwlock_tryrdlock)(lock));
}

WRAPS(pthread_rwlock_timedrdlock)
int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	ACQUIRE_IF(contended_sound(CLOCK_REALTIME, until), RBDPROF_RWLOCK_READ, lock, CALLER, REAL(pthread_rwlock_tryrdlock)(lock),
		   REAL(pthread_rwlock_timedrdlock)(lock, until));
}

WRAPS(pthread_rwlock_clockrdlock)
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	ACQUIRE_IF(contended_sound(clock, until), RBDPROF_RWLOCK_READ, lock, CALLER, REAL(pthread_rwlock_tryrdlock)(lock),
		   REAL(pthread_rwlock_clockrdlock)(lock, clock, until));
}

APART int wrlock_later(pthread_rwlock_t *lock, const void *caller, int tried)
{
	ACQUIRE_LATER(RBDPROF_RWLOCK_WRITE, lock, caller, tried, REAL(pthread_rwlock_wrlock)(lock));
}

APART int wrlock(pthread_rwlock_t *lock, const void *caller)
{
	ACQUIRE(RBDPROF_RWLOCK_WRITE, lock, caller, REAL(pthread_rwlock_trywrlock)(lock), REAL(pthread_rwlock_wrlock)(lock), wrlock_later);
}

WRAPS(pthread_rwlock_wrlock)
int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	return DORMANT(pthread_rwlock_wrlock) ? real.pthread_rwlock_wrlock(lock) : wrlock(lock, CALLER);
}

WRAPS(pthread_rwlock_trywrlock)
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	TRY(RBDPROF_RWLOCK_WRITE, lock, REAL(pthread_rwlock_trywrlock)(lock));
}

WRAPS(pthread_rwlock_timedwrlock)
int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	ACQUIRE_IF(contended_sound(CLOCK_REALTIME, until), RBDPROF_RWLOCK_WRITE, lock, CALLER, REAL(pthread_rwlock_trywrlock)(lock),
		   REAL(pthread_rwlock_timedwrlock)(lock, until));
}

WRAPS(pthread_rwlock_clockwrlock)
int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	ACQUIRE_IF(contended_sound(clock, until), RBDPROF_RWLOCK_WRITE, lock, CALLER, REAL(pthread_rwlock_trywrlock)(lock),
		   REAL(pthread_rwlock_clockwrlock)(lock, clock, until));
}

/* How the caller holds it: glibc tells by the same field. */
static inline uint8_t held(const pthread_rwlock_t *lock)
{
	return (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) == recorder_tid() ? RBDPROF_RWLOCK_WRITE
													 : RBDPROF_RWLOCK_READ;
}

APART int unlock(pthread_rwlock_t *lock, const void *caller)
{
	uint8_t kind = held(lock);

	RELEASE(kind, lock, caller, REAL(pthread_rwlock_unlock)(lock));
}

WRAPS(pthread_rwlock_unlock)
int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	return RELEASES_QUIETLY(pthread_rwlock_unlock, lock) ? real.pthread_rwlock_unlock(lock) : unlock(lock, CALLER);
}
