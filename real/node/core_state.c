/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/core_state.h"

bool core_to_pool(int32_t me, struct core *core)
{
        if (core->owner != me || core->user != me)
                return false;
        *core = (struct core){ .owner = me, .user = CORE_NOBODY };
        return true;
}

bool core_give_back(int32_t me, struct core *core)
{
        if (core->owner == me || core->user != me)
                return false;
        core->user = core->asked ? core->owner : CORE_NOBODY;
        return true;
}

bool core_take_pooled(int32_t me, struct core *core)
{
        if (core->owner == me || core->user != CORE_NOBODY)
                return false;
        core->user = me;
        return true;
}

bool core_take_own(int32_t me, struct core *core)
{
        if (core->owner != me || core->user != CORE_NOBODY)
                return false;
        core->user = me;
        return true;
}

bool core_ask_back(int32_t me, struct core *core)
{
        if (core->owner != me || core->user == me || core->user == CORE_NOBODY || core->asked)
                return false;
        core->asked = true;
        return true;
}

bool core_forget_ask(int32_t me, struct core *core)
{
        if (core->owner != me || core->user == me || !core->asked)
                return false;
        core->asked = false;
        return true;
}

bool core_take_returned(int32_t me, struct core *core)
{
        if (core->owner != me || core->user != me || !core->asked)
                return false;
        core->asked = false;
        return true;
}

bool core_give_up(int32_t me, struct core *core)
{
        if (core->owner != me)
                return false;
        *core = (struct core){ .owner = CORE_NOBODY,
                               .user = core->user == me ? CORE_NOBODY : core->user };
        return true;
}

bool core_take_over_idle(int32_t me, struct core *core)
{
        if (core->owner != CORE_NOBODY || core->user != CORE_NOBODY)
                return false;
        *core = (struct core){ .owner = me, .user = me };
        return true;
}

bool core_take_over_used(int32_t me, struct core *core)
{
        if (core->owner != CORE_NOBODY || core->user == CORE_NOBODY)
                return false;
        core->owner = me;
        return true;
}

bool core_leave(int32_t me, struct core *core)
{
        if (core->owner != me)
                return core_give_back(me, core);
        core->user = core->user == me ? CORE_NOBODY : core->user;
        core->asked = false;
        return true;
}

bool core_bury(int32_t me, struct core *core)
{
        if (core->owner != me && core->user != me)
                return false;
        if (core->owner == me)
                *core = (struct core){ .owner = CORE_NOBODY, .user = core->user };
        if (core->user == me)
                core->user = core->asked ? core->owner : CORE_NOBODY;
        return true;
}
