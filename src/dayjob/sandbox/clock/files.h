/* Times of files, for the calls that programs make by number as well. */

#ifndef COMPANY_CLOCK_FILES_H
#define COMPANY_CLOCK_FILES_H

#include <sys/stat.h>
#include <sys/time.h>

/* Put the company's times into what a call has told, unless it failed; returns what it is given. */
int show(int failed, struct stat *about);
int show_extended(int failed, struct statx *about);

int set_times(int folder, const char *path, const struct timespec asked[2], int flags);
int set_short_times(int folder, const char *path, const struct timeval asked[2], int flags);

#endif
