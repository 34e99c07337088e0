/* Finding and reading the page, and working out times from it. */

#define _GNU_SOURCE
#include "page.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(long) == 8, "the page and the kernel's structures are read as 64-bit machines have them");

/* Little-endian, as in clock_page.py. */
struct page {
    _Atomic uint64_t count; /* odd while the page is being written, 0 before it ever was */
    uint64_t stands;
    int64_t offset, still, began, first;
    uint64_t way_out; /* the port that leads out of the room, or 0 */
};

/* Seconds within which nanoseconds fit into 64 bits with room to spare: to the year 2242. */
#define MOST_SECONDS (INT64_C(1) << 33)

/* Every clock that counts from 1970 is past this by now; what counts from the machine's start is not. */
#define LEAST_SINCE_1970 INT64_C(1000000000)

#define LOOK_EVERY (SECOND / 50)
#define MOST_TRIES 10000

static _Atomic(struct page *) found;
static _Atomic int64_t looked;
static atomic_bool outside;

/* They judge lists of packages by the date, and do so without going out themselves. */
static const char *const on_host_time[] = {"apt", "apt-get", "aptitude", "gpgv", "sqv", NULL};

void *next_function(const char *name, void **known)
{
    void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (function == NULL) {
        function = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, function, __ATOMIC_RELAXED);
    }
    return function;
}

int64_t real_time(clockid_t clock)
{
    struct timespec now = {0, 0};
    NEXT(clock_gettime)(clock, &now);
    return now.tv_sec * SECOND + now.tv_nsec;
}

static struct page *map_page(void)
{
    long fd = NEXT(syscall)(SYS_openat, AT_FDCWD, COMPANY_CLOCK, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0)
        return NULL;
    struct page *page = MAP_FAILED;
    struct stat about;
    /* What lies beyond a file's end cannot be read, mapped or not. */
    if (NEXT(syscall)(SYS_fstat, fd, &about) == 0 && about.st_size >= (off_t)sizeof(struct page))
        page = mmap(NULL, sizeof(struct page), PROT_READ, MAP_SHARED, (int)fd, 0);
    NEXT(syscall)(SYS_close, fd);
    return page == MAP_FAILED ? NULL : page;
}

/* Whoever starts a program may want it on the host's time. */
static bool asked_for_host(void)
{
    const char *said = secure_getenv("COMPANY_CLOCK");
    return said != NULL && strcmp(said, "host") == 0;
}

static bool judges_packages(void)
{
    for (const char *const *name = on_host_time; *name != NULL; name++)
        if (strcmp(program_invocation_short_name, *name) == 0)
            return true;
    return false;
}

/* The page, looked for again now and then until it is there. */
static struct page *mapped(void)
{
    struct page *page = atomic_load_explicit(&found, memory_order_acquire);
    if (page != NULL)
        return page;
    int64_t now = real_time(CLOCK_MONOTONIC_COARSE);
    int64_t last = atomic_load_explicit(&looked, memory_order_relaxed);
    if (last != 0 && now - last < LOOK_EVERY)
        return NULL;
    int before = errno;
    page = map_page();
    if (page != NULL) {
        struct page *none = NULL;
        if (asked_for_host() || (page->way_out != 0 && judges_packages()))
            go_out();
        if (!atomic_compare_exchange_strong(&found, &none, page)) {
            munmap(page, sizeof(struct page));
            page = none;
        }
    } else {
        atomic_store_explicit(&looked, now, memory_order_relaxed);
    }
    errno = before;
    return page;
}

void look_again(void)
{
    atomic_store_explicit(&looked, 0, memory_order_relaxed);
}

bool is_way_out(int port)
{
    struct page *page = mapped();
    return page != NULL && page->way_out != 0 && page->way_out == (uint64_t)port;
}

void go_out(void)
{
    atomic_store_explicit(&outside, true, memory_order_relaxed);
}

bool read_page(struct reading *into)
{
    struct page *page = mapped();
    if (page == NULL || atomic_load_explicit(&outside, memory_order_relaxed))
        return false;
    /* A writer that was killed halfway leaves the count odd: what is there is taken then, so that nobody waits. */
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        uint64_t count = atomic_load_explicit(&page->count, memory_order_acquire);
        if (count == 0)
            return false;
        into->stands = page->stands != 0;
        into->offset = page->offset;
        into->still = page->still;
        into->began = page->began;
        into->first = page->first;
        atomic_thread_fence(memory_order_acquire);
        if (count % 2 == 0 && atomic_load_explicit(&page->count, memory_order_relaxed) == count)
            break;
    }
    return true;
}

/* A clock that stands creeps on by a nanosecond in a millisecond: what was done first stays first, on files too. */
#define CREEP 1000000

int64_t company_time(const struct reading *reading, int64_t host)
{
    int64_t company = host + reading->offset;
    if (!reading->stands || company <= reading->still)
        return company;
    return reading->still + (company - reading->still) / CREEP;
}

/* The host's time that a company's stands for. */
static int64_t host_time(const struct reading *reading, int64_t company)
{
    if (reading->stands && company > reading->still && company <= company_time(reading, real_time(CLOCK_REALTIME)))
        company = reading->still + (company - reading->still) * CREEP;
    return company - reading->offset;
}

static bool countable(struct timespec time)
{
    return time.tv_sec > -MOST_SECONDS && time.tv_sec < MOST_SECONDS && time.tv_nsec >= 0 && time.tv_nsec < SECOND;
}

static int64_t counted(struct timespec time)
{
    return time.tv_sec * SECOND + time.tv_nsec;
}

static struct timespec spelt(int64_t count)
{
    int64_t within = (count % SECOND + SECOND) % SECOND;
    return (struct timespec){(count - within) / SECOND, within};
}

/* What is older than the company belongs to the room's layers. It keeps its date, unless that is yet to come there. */
struct timespec shown_time(const struct reading *reading, struct timespec stored)
{
    if (!countable(stored))
        return stored;
    int64_t host = counted(stored);
    if (host < reading->began) {
        if (host <= reading->first || host <= company_time(reading, real_time(CLOCK_REALTIME)))
            return stored;
        return spelt(reading->first);
    }
    /* What is yet to come for the host has been set to it, and does not wait for a clock that stands. */
    bool ahead = reading->stands && host > real_time(CLOCK_REALTIME);
    return spelt(ahead ? host + reading->offset : company_time(reading, host));
}

struct timespec stored_time(const struct reading *reading, struct timespec shown)
{
    if (!countable(shown))
        return shown;
    int64_t company = counted(shown);
    int64_t host = host_time(reading, company);
    /* Before the company began, or in hours that were skipped: no moment of the host's stands for it. */
    if (company < reading->first)
        return shown;
    if (host < reading->began && company <= company_time(reading, real_time(CLOCK_REALTIME)))
        return shown;
    return spelt(host);
}

struct timespec host_deadline(struct timespec deadline)
{
    struct reading reading;
    /* A small number counts from the machine's start, or is long past on either clock. */
    if (!countable(deadline) || deadline.tv_sec < LEAST_SINCE_1970 || !read_page(&reading))
        return deadline;
    int64_t host = real_time(CLOCK_REALTIME);
    return spelt(counted(deadline) + host - company_time(&reading, host));
}
