/* Times of files: what is asked for is shown as the company's, what is set is stored so that it is shown again. */

#define _GNU_SOURCE
#include "page.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#undef st_atime
#undef st_mtime
#undef st_ctime

static bool is_now_or_left(struct timespec time)
{
    return time.tv_nsec == UTIME_NOW || time.tv_nsec == UTIME_OMIT;
}

int show(int failed, struct stat *about)
{
    struct reading reading;
    if (failed == 0 && read_page(&reading)) {
        about->st_atim = shown_time(&reading, about->st_atim);
        about->st_mtim = shown_time(&reading, about->st_mtim);
        about->st_ctim = shown_time(&reading, about->st_ctim);
    }
    return failed;
}

static void show_one(const struct reading *reading, struct statx_timestamp *time)
{
    struct timespec shown = shown_time(reading, (struct timespec){time->tv_sec, time->tv_nsec});
    time->tv_sec = shown.tv_sec;
    time->tv_nsec = (uint32_t)shown.tv_nsec;
}

int show_extended(int failed, struct statx *about)
{
    struct reading reading;
    if (failed == 0 && read_page(&reading)) {
        show_one(&reading, &about->stx_atime);
        show_one(&reading, &about->stx_mtime);
        show_one(&reading, &about->stx_ctime);
        if (about->stx_mask & STATX_BTIME)
            show_one(&reading, &about->stx_btime);
    }
    return failed;
}

int set_times(int folder, const char *path, const struct timespec asked[2], int flags)
{
    struct reading reading;
    struct timespec times[2];
    if (asked == NULL || !read_page(&reading))
        return (int)NEXT(syscall)(SYS_utimensat, folder, path, asked, flags);
    for (int which = 0; which < 2; which++)
        times[which] = is_now_or_left(asked[which]) ? asked[which] : stored_time(&reading, asked[which]);
    return (int)NEXT(syscall)(SYS_utimensat, folder, path, times, flags);
}

int set_short_times(int folder, const char *path, const struct timeval asked[2], int flags)
{
    if (asked == NULL)
        return set_times(folder, path, NULL, flags);
    struct timespec times[2] = {
        {asked[0].tv_sec, asked[0].tv_usec * 1000},
        {asked[1].tv_sec, asked[1].tv_usec * 1000},
    };
    return set_times(folder, path, times, flags);
}

static int look(int folder, const char *path, struct stat *about, int flags)
{
    return show((int)NEXT(syscall)(SYS_newfstatat, folder, path, about, flags), about);
}

static int look_at_open(int fd, struct stat *about)
{
    return show((int)NEXT(syscall)(SYS_fstat, fd, about), about);
}

/* -- asking -------------------------------------------------------------------------------------------------------- */

EXPORTED int stat(const char *restrict path, struct stat *restrict about)
{
    return look(AT_FDCWD, path, about, 0);
}

EXPORTED int lstat(const char *restrict path, struct stat *restrict about)
{
    return look(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}

EXPORTED int fstat(int fd, struct stat *about)
{
    return look_at_open(fd, about);
}

EXPORTED int fstatat(int folder, const char *restrict path, struct stat *restrict about, int flags)
{
    return look(folder, path, about, flags);
}

EXPORTED int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict about)
{
    return show_extended((int)NEXT(syscall)(SYS_statx, folder, path, flags, mask, about), about);
}

/* On 64-bit machines these are the same. */
EXPORTED int stat64(const char *restrict path, struct stat64 *restrict about)
{
    return look(AT_FDCWD, path, (struct stat *)about, 0);
}

EXPORTED int lstat64(const char *restrict path, struct stat64 *restrict about)
{
    return look(AT_FDCWD, path, (struct stat *)about, AT_SYMLINK_NOFOLLOW);
}

EXPORTED int fstat64(int fd, struct stat64 *about)
{
    return look_at_open(fd, (struct stat *)about);
}

EXPORTED int fstatat64(int folder, const char *restrict path, struct stat64 *restrict about, int flags)
{
    return look(folder, path, (struct stat *)about, flags);
}

/* What programs built for C libraries before 2.33 call instead; the first argument tells the structure's version. */
EXPORTED int __xstat(int version, const char *path, struct stat *about)
{
    (void)version;
    return look(AT_FDCWD, path, about, 0);
}

EXPORTED int __lxstat(int version, const char *path, struct stat *about)
{
    (void)version;
    return look(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}

EXPORTED int __fxstat(int version, int fd, struct stat *about)
{
    (void)version;
    return look_at_open(fd, about);
}

EXPORTED int __fxstatat(int version, int folder, const char *path, struct stat *about, int flags)
{
    (void)version;
    return look(folder, path, about, flags);
}

EXPORTED int __xstat64(int version, const char *path, struct stat64 *about)
{
    return __xstat(version, path, (struct stat *)about);
}

EXPORTED int __lxstat64(int version, const char *path, struct stat64 *about)
{
    return __lxstat(version, path, (struct stat *)about);
}

EXPORTED int __fxstat64(int version, int fd, struct stat64 *about)
{
    return __fxstat(version, fd, (struct stat *)about);
}

EXPORTED int __fxstatat64(int version, int folder, const char *path, struct stat64 *about, int flags)
{
    return __fxstatat(version, folder, path, (struct stat *)about, flags);
}

/* -- setting ------------------------------------------------------------------------------------------------------- */

EXPORTED int utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
    if (path == NULL) {
        errno = EINVAL;
        return -1;
    }
    return set_times(folder, path, times, flags);
}

EXPORTED int futimens(int fd, const struct timespec times[2])
{
    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    return set_times(fd, NULL, times, 0);
}

EXPORTED int utimes(const char *path, const struct timeval times[2])
{
    return set_short_times(AT_FDCWD, path, times, 0);
}

EXPORTED int lutimes(const char *path, const struct timeval times[2])
{
    return set_short_times(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

EXPORTED int futimes(int fd, const struct timeval times[2])
{
    return set_short_times(fd, NULL, times, 0);
}

EXPORTED int futimesat(int folder, const char *path, const struct timeval times[2])
{
    return set_short_times(folder, path, times, 0);
}

EXPORTED int utime(const char *path, const struct utimbuf *times)
{
    if (times == NULL)
        return set_times(AT_FDCWD, path, NULL, 0);
    return set_times(AT_FDCWD, path, (struct timespec[2]){{times->actime, 0}, {times->modtime, 0}}, 0);
}
