/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/control/calling.h"

static _Atomic(const struct called *) caller;

void control_call_begin(const char *policy, const char *function)
{
        called_begin(policy, function);
        atomic_store_explicit(&caller, &called_here, memory_order_release);
}

void control_call_end(void)
{
        atomic_store_explicit(&caller, NULL, memory_order_release);
        called_end();
}

const struct called *control_caller(void)
{
        return atomic_load_explicit(&caller, memory_order_acquire);
}
