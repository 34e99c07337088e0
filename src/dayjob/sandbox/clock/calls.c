/* System calls made by number, entering another room, and going out. */

#define _GNU_SOURCE
#include "page.h"
#include "files.h"

#include <arpa/inet.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

EXPORTED int setns(int fd, int kind)
{
    int failed = NEXT(setns)(fd, kind);
    if (!failed)
        look_again();
    return failed;
}

/* The port of this machine that an address names, or 0. */
static int local_port(const struct sockaddr *address, socklen_t length)
{
    if (address == NULL)
        return 0;
    if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)address;
        return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET ? ntohs(four->sin_port) : 0;
    }
    if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
        const struct in6_addr *place = &six->sin6_addr;
        bool local = IN6_IS_ADDR_LOOPBACK(place) || (IN6_IS_ADDR_V4MAPPED(place) && place->s6_addr[12] == IN_LOOPBACKNET);
        return local ? ntohs(six->sin6_port) : 0;
    }
    return 0;
}

/* Whoever goes out judges certificates, which are of the host's time: from here on it is on that. */
EXPORTED int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int port = local_port(address, length);
    if (port != 0 && is_way_out(port))
        go_out();
    return NEXT(connect)(fd, address, length);
}

/* Whether the deadline of a futex is a time of the clock that counts from 1970. */
static bool waits_until(long operation)
{
    int what = (int)operation & FUTEX_CMD_MASK;
    if (what == FUTEX_LOCK_PI)
        return true;
    return (operation & FUTEX_CLOCK_REALTIME) != 0 && (what == FUTEX_WAIT_BITSET || what == FUTEX_WAIT_REQUEUE_PI);
}

EXPORTED long syscall(long number, ...)
{
    /* As many as there can be: what was not given is passed on unread. */
    va_list given;
    va_start(given, number);
    long a = va_arg(given, long), b = va_arg(given, long), c = va_arg(given, long);
    long d = va_arg(given, long), e = va_arg(given, long), f = va_arg(given, long);
    va_end(given);
    __typeof__(&syscall) kernel = NEXT(syscall);
    struct timespec until;

    switch (number) {
    case SYS_clock_gettime:
        return clock_gettime((clockid_t)a, (struct timespec *)b);
    case SYS_gettimeofday:
        return gettimeofday((struct timeval *)a, (void *)b);
    case SYS_statx:
        return show_extended((int)kernel(number, a, b, c, d, e), (struct statx *)e);
    case SYS_newfstatat:
        return show((int)kernel(number, a, b, c, d), (struct stat *)c);
    case SYS_fstat:
        return show((int)kernel(number, a, b), (struct stat *)b);
    case SYS_utimensat:
        return set_times((int)a, (const char *)b, (const struct timespec *)c, (int)d);
#ifdef SYS_time
    case SYS_time:
        return time((time_t *)a);
    case SYS_stat:
    case SYS_lstat:
        return show((int)kernel(number, a, b), (struct stat *)b);
    case SYS_utimes:
        return set_short_times(-100, (const char *)a, (const struct timeval *)b, 0);
#endif
    case SYS_clock_nanosleep:
        if (a == CLOCK_REALTIME && (b & TIMER_ABSTIME) && c != 0) {
            until = host_deadline(*(const struct timespec *)c);
            c = (long)&until;
        }
        break;
    case SYS_futex:
        if (d != 0 && waits_until(b)) {
            until = host_deadline(*(const struct timespec *)d);
            d = (long)&until;
        }
        break;
    case SYS_timerfd_settime:
        return timerfd_settime((int)a, (int)b, (const struct itimerspec *)c, (struct itimerspec *)d);
    case SYS_setns:
        return setns((int)a, (int)b);
    case SYS_connect:
        return connect((int)a, (const struct sockaddr *)b, (socklen_t)c);
    }
    return kernel(number, a, b, c, d, e, f);
}
