/* Mutexes. */
#include "preload/contended.h"
#include "preload/real.h"

APART int lock_later(pthread_mutex_t *mutex, const void *caller, int tried)
{
	ACQUIRE_LATER(RBDPROF_MUTEX, mutex, caller, tried, REAL(pthread_mutex_lock)(mutex));
}

APART int lock(pthread_mutex_t *mutex, const void *caller)
{
	ACQUIRE(RBDPROF_MUTEX, mutex, caller, REAL(pthread_mutex_trylock)(mutex), REAL(pthread_mutex_lock)(mutex), lock_later);
}

WRAPS(pthread_mutex_lock)
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return DORMANT(pthread_mutex_lock) ? real.pthread_mutex_lock(mutex) : lock(mutex, CALLER);
}

WRAPS(pthread_mutex_trylock)
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	TRY(RBDPROF_MUTEX, mutex, REAL(pthread_mutex_trylock)(mutex));
}

WRAPS(pthread_mutex_timedlock)
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	ACQUIRE_IF(contended_sound(CLOCK_REALTIME, until), RBDPROF_MUTEX, mutex, CALLER, REAL(pthread_mutex_trylock)(mutex),
		   REAL(pthread_mutex_timedlock)(mutex, until));
}

WRAPS(pthread_mutex_clocklock)
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	ACQUIRE_IF(contended_sound(clock, until), RBDPROF_MUTEX, mutex, CALLER, REAL(pthread_mutex_trylock)(mutex),
		   REAL(pthread_mutex_clocklock)(mutex, clock, until));
}

APART int unlock(pthread_mutex_t *mutex, const void *caller)
{
	if (contended_again(mutex))
		return REAL(pthread_mutex_unlock)(mutex);
	RELEASE(RBDPROF_MUTEX, mutex, caller, REAL(pthread_mutex_unlock)(mutex));
}

WRAPS(pthread_mutex_unlock)
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	return RELEASES_QUIETLY(pthread_mutex_unlock, mutex) ? real.pthread_mutex_unlock(mutex) : unlock(mutex, CALLER);
}
