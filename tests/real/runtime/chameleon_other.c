/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "chameleon.h"
#include "tests/real/runtime/chameleon_other.h"

int other_add(void (*entry)(intptr_t), intptr_t argument)
{
        chameleon_map_data_entry_t mapped =
            chameleon_map_data_entry_create((void *)argument, sizeof(void *),
                                            CHAM_OMP_TGT_MAPTYPE_TO | CHAM_OMP_TGT_MAPTYPE_LITERAL);
        void *address;
        memcpy(&address, &entry, sizeof(address));
        chameleon_add_task(chameleon_create_task(address, 1, &mapped));
        return chameleon_get_last_local_task_id_added();
}

int other_last_added(void)
{
        return chameleon_get_last_local_task_id_added();
}
