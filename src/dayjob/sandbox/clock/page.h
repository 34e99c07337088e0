/* The company's time as a program in a room is told it. The page that it stands on is written down in clock_page.py. */

#ifndef COMPANY_CLOCK_PAGE_H
#define COMPANY_CLOCK_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifndef COMPANY_CLOCK
#define COMPANY_CLOCK "/run/company-clock"
#endif

#define SECOND INT64_C(1000000000)
#define EXPORTED __attribute__((visibility("default")))

/* One reading. Times are nanoseconds since 1970; `company` is the company's time, `host` the host's. */
struct reading {
    bool stands;
    int64_t offset; /* what to add to the host's time */
    int64_t still;  /* the company's time, where it stands */
    int64_t began;  /* the host's time when the company began */
    int64_t first;  /* the company's time then */
};

/* False where this process is on the host's time: there is no page, it was asked for, or the process has gone out. */
bool read_page(struct reading *into);

/* Look for the page anew: this process has entered another room. */
void look_again(void);

/* Whether that port of this machine is the room's way out, and from now on be on the host's time. */
bool is_way_out(int port);
void go_out(void);

int64_t real_time(clockid_t clock);
int64_t company_time(const struct reading *reading, int64_t host);

/* A file's time as the company sees it, and the host's time to store so that the company sees `shown`. */
struct timespec shown_time(const struct reading *reading, struct timespec stored);
struct timespec stored_time(const struct reading *reading, struct timespec shown);

/* The host's time at which the company's `deadline` comes. */
struct timespec host_deadline(struct timespec deadline);

/* The C library's own function of a name. */
void *next_function(const char *name, void **known);
#define NEXT(name) ({ static void *known_; (__typeof__(&name))next_function(#name, &known_); })

#endif
