/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/self.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool lb_self_file(char path[static LB_SELF_SIZE])
{
        ssize_t length = readlink("/proc/self/exe", path, LB_SELF_SIZE - 1);
        path[length > 0 ? length : 0] = '\0';
        return length > 0;
}

bool lb_self_folder(char path[static LB_SELF_SIZE])
{
        char *slash = lb_self_file(path) ? strrchr(path, '/') : NULL;
        (slash ? slash : path)[0] = '\0';
        return slash;
}

const char *lb_self_sister(const char *name, char path[static LB_SELF_SIZE])
{
        size_t used = lb_self_folder(path) ? strlen(path) : LB_SELF_SIZE;
        if (used + strlen(name) + 2 > LB_SELF_SIZE ||
            (snprintf(path + used, LB_SELF_SIZE - used, "/%s", name), access(path, X_OK) < 0))
                snprintf(path, LB_SELF_SIZE, "%s", name);
        return path;
}
