/* Mutexes. Trying and unlocking never wait: they pass. */
#include "preload/contended.h"
#include "preload/real.h"

WRAPS(pthread_mutex_lock)
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	CONTENDED(RBDPROF_MUTEX, mutex, REAL(pthread_mutex_trylock)(mutex), REAL(pthread_mutex_lock)(mutex));
}

WRAPS(pthread_mutex_trylock)
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return REAL(pthread_mutex_trylock)(mutex);
}

WRAPS(pthread_mutex_timedlock)
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	CONTENDED_IF(contended_sound(CLOCK_REALTIME, until), RBDPROF_MUTEX, mutex, REAL(pthread_mutex_trylock)(mutex),
		     REAL(pthread_mutex_timedlock)(mutex, until));
}

WRAPS(pthread_mutex_clocklock)
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	CONTENDED_IF(contended_sound(clock, until), RBDPROF_MUTEX, mutex, REAL(pthread_mutex_trylock)(mutex),
		     REAL(pthread_mutex_clocklock)(mutex, clock, until));
}

WRAPS(pthread_mutex_unlock)
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	return REAL(pthread_mutex_unlock)(mutex);
}
