/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

pid_t fork(void);
pid_t _Fork(void);

/* To be preloaded: rank 1 has no processes left, as under a limit of the user's. */
pid_t fork(void)
{
        const char *rank = getenv("OMPI_COMM_WORLD_RANK");
        rank = rank ? rank : getenv("PMI_RANK");
        if (!rank || strcmp(rank, "1") != 0)
                return _Fork();
        errno = EAGAIN;
        return -1;
}
