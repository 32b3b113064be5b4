/* Readers' and writers' locks; the two sides are told apart. Trying and unlocking never wait: they pass. */
#include "preload/contended.h"
#include "preload/real.h"

WRAPS(pthread_rwlock_rdlock)
int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	CONTENDED(RBDPROF_RWLOCK_READ, lock, REAL(pthread_rwlock_tryrdlock)(lock), REAL(pthread_rwlock_rdlock)(lock));
}

WRAPS(pthread_rwlock_tryrdlock)
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	return REAL(pthread_rwlock_tryrdlock)(lock);
}

WRAPS(pthread_rwlock_timedrdlock)
int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	CONTENDED_IF(contended_sound(CLOCK_REALTIME, until), RBDPROF_RWLOCK_READ, lock, REAL(pthread_rwlock_tryrdlock)(lock),
		     REAL(pthread_rwlock_timedrdlock)(lock, until));
}

WRAPS(pthread_rwlock_clockrdlock)
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	CONTENDED_IF(contended_sound(clock, until), RBDPROF_RWLOCK_READ, lock, REAL(pthread_rwlock_tryrdlock)(lock),
		     REAL(pthread_rwlock_clockrdlock)(lock, clock, until));
}

WRAPS(pthread_rwlock_wrlock)
int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	CONTENDED(RBDPROF_RWLOCK_WRITE, lock, REAL(pthread_rwlock_trywrlock)(lock), REAL(pthread_rwlock_wrlock)(lock));
}

WRAPS(pthread_rwlock_trywrlock)
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	return REAL(pthread_rwlock_trywrlock)(lock);
}

WRAPS(pthread_rwlock_timedwrlock)
int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	CONTENDED_IF(contended_sound(CLOCK_REALTIME, until), RBDPROF_RWLOCK_WRITE, lock, REAL(pthread_rwlock_trywrlock)(lock),
		     REAL(pthread_rwlock_timedwrlock)(lock, until));
}

WRAPS(pthread_rwlock_clockwrlock)
int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	CONTENDED_IF(contended_sound(clock, until), RBDPROF_RWLOCK_WRITE, lock, REAL(pthread_rwlock_trywrlock)(lock),
		     REAL(pthread_rwlock_clockwrlock)(lock, clock, until));
}

WRAPS(pthread_rwlock_unlock)
int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	return REAL(pthread_rwlock_unlock)(lock);
}
