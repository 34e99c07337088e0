/* Asking what time it is. */

#define _GNU_SOURCE
#include "page.h"

#include <stddef.h>
#include <sys/time.h>
#include <sys/timeb.h>

/* The clocks that count from 1970; the others are the machine's own. */
static bool is_real_time(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_REALTIME_ALARM ||
           clock == CLOCK_TAI;
}

/* The company's time, from what the host's clock says. */
static struct timespec by_company(struct timespec host)
{
    struct reading reading;
    if (!read_page(&reading))
        return host;
    int64_t company = company_time(&reading, host.tv_sec * SECOND + host.tv_nsec);
    return (struct timespec){company / SECOND, company % SECOND};
}

static struct timespec now(clockid_t clock)
{
    struct timespec host = {0, 0};
    NEXT(clock_gettime)(clock, &host);
    return by_company(host);
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *into)
{
    int failed = NEXT(clock_gettime)(clock, into);
    if (!failed && is_real_time(clock))
        *into = by_company(*into);
    return failed;
}

EXPORTED int gettimeofday(struct timeval *restrict into, void *restrict zone)
{
    int failed = zone == NULL ? 0 : NEXT(gettimeofday)(NULL, zone);
    if (!failed && into != NULL) {
        struct timespec told = now(CLOCK_REALTIME);
        *into = (struct timeval){told.tv_sec, told.tv_nsec / 1000};
    }
    return failed;
}

EXPORTED time_t time(time_t *into)
{
    time_t told = now(CLOCK_REALTIME_COARSE).tv_sec;
    if (into != NULL)
        *into = told;
    return told;
}

EXPORTED int timespec_get(struct timespec *into, int base)
{
    if (base != TIME_UTC)
        return NEXT(timespec_get)(into, base);
    *into = now(CLOCK_REALTIME);
    return base;
}

EXPORTED int ftime(struct timeb *into)
{
    struct timespec told = now(CLOCK_REALTIME);
    *into = (struct timeb){told.tv_sec, (unsigned short)(told.tv_nsec / 1000000), 0, 0};
    return 0;
}
