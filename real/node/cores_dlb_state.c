/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/cores_dlb_state.h"

/* Also one that has come back and was not yet taken: the caller has asked DLB. */
bool core_dlb_lend(int32_t me, struct core *core)
{
        bool returned = core->asked && core->user == CORE_NOBODY;
        if (core->owner != me || (core->user != me && !returned))
                return false;
        core->user = CORE_NOBODY;
        core->asked = false;
        return true;
}

bool core_dlb_take_back(int32_t me, struct core *core)
{
        bool returned = core->asked && core->user == me;
        if (core->owner != me || (core->user != CORE_NOBODY && !returned))
                return false;
        core->user = me;
        core->asked = false;
        return true;
}

bool core_dlb_drop(int32_t me, struct core *core)
{
        if (core->owner != me)
                return false;
        core->owner = CORE_NOBODY;
        core->user = core->user == me ? CORE_NOBODY : core->user;
        core->asked = false;
        return true;
}

/* Its user may not have said so yet. */
bool core_dlb_ask(int32_t me, struct core *core)
{
        if (core->owner != me || core->user == me || core->asked)
                return false;
        core->asked = true;
        return true;
}

bool core_dlb_borrow(int32_t me, struct core *core)
{
        if (core->owner == me || core->user != CORE_NOBODY)
                return false;
        core->user = me;
        return true;
}

bool core_dlb_borrow_only(int32_t me, struct core *core)
{
        return core_in_table_only(*core) && core_in_pool(*core) && core_dlb_borrow(me, core);
}

bool core_dlb_let_go(int32_t me, struct core *core)
{
        if (core->owner == me || core->user != me)
                return false;
        core->user = CORE_NOBODY;
        return true;
}

bool core_dlb_claim(int32_t me, struct core *core)
{
        if (core->owner != CORE_NOBODY)
                return false;
        core->owner = me;
        return true;
}

bool core_dlb_unclaim(int32_t me, struct core *core)
{
        if (core->owner != me)
                return false;
        core->owner = CORE_NOBODY;
        core->asked = false;
        return true;
}

bool core_dlb_leave(int32_t me, struct core *core)
{
        if (core->owner != me)
                return false;
        core->user = core->user == me ? CORE_NOBODY : core->user;
        core->asked = false;
        core->apart = true;
        return true;
}

bool core_dlb_bury(int32_t me, struct core *core)
{
        if (core->owner != me && core->user != me)
                return false;
        if (core->owner == me)
                core_dlb_unclaim(me, core);
        if (core->user == me)
                core->user = core->asked ? core->owner : CORE_NOBODY;
        core->apart = true;
        return true;
}
