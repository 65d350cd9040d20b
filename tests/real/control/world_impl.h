/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_TESTS_REAL_CONTROL_WORLD_IMPL_H
#define LB_TESTS_REAL_CONTROL_WORLD_IMPL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policies/alloc.h"
#include "policies/host/params.h"
#include "tests/real/control/storm.h"
#include "tests/real/control/world.h"

/* What making a world (world.c) and running it (world_run.c) have in common. */
enum { STEP_NS = 1000000 };

struct world_mail {
        struct world_mail *next;
        int32_t sender, destination;
        int64_t arrival_ns;
        size_t bytes;
        _Alignas(8) char body[];
};

static const struct cores_type *const type = &cores_builtin;

/* What must hold of a node. */
void world_check_node(const struct world *world, int32_t node);

#endif
