/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static int refuse(int lock, const char *directory, int why, struct lb_error *err)
{
        if (why != EACCES && why != EAGAIN)
                return lb_error_fail(err, "cannot lock directory '%s': %s", directory,
                                     strerror(why));
        struct flock who = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        if (fcntl(lock, F_GETLK, &who) < 0 || who.l_type == F_UNLCK || who.l_pid <= 0)
                return lb_error_fail(err, "directory '%s' is in use by another lbsim", directory);
        return lb_error_fail(err,
                             "directory '%s' is in use by another lbsim, process %ld; wait for "
                             "it or choose another --out",
                             directory, (long)who.l_pid);
}

int directory_lock(const char *directory, bool wait, struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        if (lb_path(path, err, "%s/lock", directory) < 0)
                return -1;
        int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock < 0)
                return lb_error_name(err, errno, "cannot write into directory '%s'", directory);
        struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        if (fcntl(lock, wait ? F_SETLKW : F_SETLK, &whole) == 0)
                return lock;
        refuse(lock, directory, errno, err);
        close(lock);
        return -1;
}

void directory_unlock(int lock)
{
        if (lock >= 0)
                close(lock);
}
