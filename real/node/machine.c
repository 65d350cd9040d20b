/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/machine.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"

/* Of this boot of the kernel; where that cannot be read, the machine's name. */
static uint64_t kernel_identity(void)
{
        char text[256];
        ssize_t size = lb_text_file("/proc/sys/kernel/random/boot_id", text, sizeof(text));
        if (size <= 0 && gethostname(text, sizeof(text)) == 0)
                for (size = 0; size < (ssize_t)sizeof(text) && text[size];)
                        size++;
        return lb_hash(text, size > 0 ? (size_t)size : 0, 0);
}

uint64_t machine_identity(void)
{
        struct stat memory;
        uint64_t place[2] = { 0 };
        if (stat("/dev/shm", &memory) == 0) {
                place[0] = (uint64_t)memory.st_dev;
                place[1] = (uint64_t)memory.st_ino;
        }
        return lb_hash(place, sizeof(place), kernel_identity());
}
