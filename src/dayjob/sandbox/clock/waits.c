/* Waiting until a time: the kernel is told the host's. Waits for a while, and by other clocks, are left alone. */

#define _GNU_SOURCE
#include "page.h"

#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/timerfd.h>
#include <threads.h>

/* A copy of the deadline by the host's time, or nothing where there is none. */
#define BY_HOST(deadline) ((deadline) == NULL ? NULL : (struct timespec[1]){host_deadline(*(deadline))})
#define BY_HOST_IF(real, deadline) ((real) && (deadline) != NULL ? BY_HOST(deadline) : (deadline))

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
    bool real = clock == CLOCK_REALTIME && (flags & TIMER_ABSTIME) != 0;
    return NEXT(clock_nanosleep)(clock, flags, BY_HOST_IF(real, until), left);
}

/* A condition may have been made for the monotonic clock, which `host_deadline` tells by its small numbers. */
EXPORTED int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                    const struct timespec *restrict until)
{
    return NEXT(pthread_cond_timedwait)(condition, mutex, BY_HOST(until));
}

EXPORTED int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                    clockid_t clock, const struct timespec *restrict until)
{
    return NEXT(pthread_cond_clockwait)(condition, mutex, clock, BY_HOST_IF(clock == CLOCK_REALTIME, until));
}

EXPORTED int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
    return NEXT(pthread_mutex_timedlock)(mutex, BY_HOST(until));
}

EXPORTED int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                     const struct timespec *restrict until)
{
    return NEXT(pthread_mutex_clocklock)(mutex, clock, BY_HOST_IF(clock == CLOCK_REALTIME, until));
}

EXPORTED int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    return NEXT(pthread_rwlock_timedrdlock)(lock, BY_HOST(until));
}

EXPORTED int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
    return NEXT(pthread_rwlock_timedwrlock)(lock, BY_HOST(until));
}

EXPORTED int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                        const struct timespec *restrict until)
{
    return NEXT(pthread_rwlock_clockrdlock)(lock, clock, BY_HOST_IF(clock == CLOCK_REALTIME, until));
}

EXPORTED int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                        const struct timespec *restrict until)
{
    return NEXT(pthread_rwlock_clockwrlock)(lock, clock, BY_HOST_IF(clock == CLOCK_REALTIME, until));
}

EXPORTED int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    return NEXT(pthread_timedjoin_np)(thread, result, BY_HOST(until));
}

EXPORTED int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
    return NEXT(pthread_clockjoin_np)(thread, result, clock, BY_HOST_IF(clock == CLOCK_REALTIME, until));
}

EXPORTED int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    return NEXT(sem_timedwait)(semaphore, BY_HOST(until));
}

EXPORTED int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
    return NEXT(sem_clockwait)(semaphore, clock, BY_HOST_IF(clock == CLOCK_REALTIME, until));
}

EXPORTED int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    return NEXT(mtx_timedlock)(mutex, BY_HOST(until));
}

EXPORTED int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
    return NEXT(cnd_timedwait)(condition, mutex, BY_HOST(until));
}

EXPORTED int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned priority,
                          const struct timespec *until)
{
    return NEXT(mq_timedsend)(queue, message, length, priority, BY_HOST(until));
}

EXPORTED ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t length, unsigned *restrict priority,
                                 const struct timespec *restrict until)
{
    return NEXT(mq_timedreceive)(queue, message, length, priority, BY_HOST(until));
}

/* A timer's first ring; one that is all zero switches it off. */
static struct itimerspec rings_by_host(const struct itimerspec *asked, bool absolute)
{
    struct itimerspec rings = *asked;
    if (absolute)
        rings.it_value = host_deadline(rings.it_value);
    return rings;
}

EXPORTED int timerfd_settime(int fd, int flags, const struct itimerspec *asked, struct itimerspec *before)
{
    if (asked == NULL)
        return NEXT(timerfd_settime)(fd, flags, asked, before);
    struct itimerspec rings = rings_by_host(asked, (flags & TFD_TIMER_ABSTIME) != 0);
    return NEXT(timerfd_settime)(fd, flags, &rings, before);
}

EXPORTED int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict asked,
                           struct itimerspec *restrict before)
{
    if (asked == NULL)
        return NEXT(timer_settime)(timer, flags, asked, before);
    struct itimerspec rings = rings_by_host(asked, (flags & TIMER_ABSTIME) != 0);
    return NEXT(timer_settime)(timer, flags, &rings, before);
}
