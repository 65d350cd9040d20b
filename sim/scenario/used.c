/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/text.h"
#include "policies/alloc.h"
#include "policies/grow.h"
#include "policies/lend.h"
#include "policies/lp.h"
#include "policies/migrate.h"
#include "policies/place.h"
#include "sim/engine/host.h"
#include "sim/scenario/scenario_impl.h"

/*
 * A key that nothing reads is a mistake: its user believes that it does something, and a sweep over
 * it is a flat line. Who reads a key follows from the tables of policies and hosts, and from
 * models/workload_param_list.h.
 *
 * Where an option chooses another system or model than the file was written for, what the file says
 * of the old one is left alone: no option could take it out. A sweep over it is refused even then,
 * unless an option leaves it a single value.
 */

/* ---- Who uses what ---- */

/* Is a policy's parameter that at this place of the section, whatever it is called there? */
static bool has(const char *owner, const struct lb_param *table, int place)
{
        for (int i = 0; table && table[i].name; i++)
                if (policy_params_find(scenario_system_params(), owner, &table[i]) == place)
                        return true;
        return false;
}

static bool policies_use(const struct system_type *system, int place)
{
        return has(system->alloc, alloc_find(system->alloc)->params, place) ||
               has(system->lend, lend_find(system->lend)->params, place) ||
               has(system->place, place_find(system->place)->params, place) ||
               (system->grow && has(system->grow, grow_find(system->grow)->params, place));
}

static bool host_uses(const struct system_type *system, int place)
{
        const struct sim_host *host = sim_host_find(system->host);
        for (int i = 0; host->tables[i]; i++)
                if (has(host->name, host->tables[i], place))
                        return true;
        const struct lb_param *params;
        const char *own = system_own_policy(system, &params);
        return own && has(own, params, place);
}

static bool reads_runtime(const struct system_type *system, enum runtime_param param)
{
        static const unsigned solving = 1u << RUNTIME_SOLVER_TIME | 1u << RUNTIME_SOLVER_MS |
                                        1u << RUNTIME_SOLVER_NODE | 1u << RUNTIME_GATHER_US |
                                        1u << RUNTIME_SCATTER_US;
        if (system->host)
                return sim_host_find(system->host)->runtime >> param & 1;
        return !(solving >> param & 1) || alloc_find(system->alloc)->scope == ALLOC_SCOPE_GLOBAL;
}

static bool system_uses(const struct system_type *system, struct scenario_target target)
{
        if (target.section == SECTION_SYSTEM && target.index >= SYSTEM_NPARAM_OWN)
                return (system->host ? host_uses : policies_use)(system, target.index);
        if (target.section == SECTION_RUNTIME)
                return reads_runtime(system, (enum runtime_param)target.index);
        if (target.section == SECTION_WORKLOAD && target.index == WORKLOAD_REGIONS)
                return system->host && sim_host_find(system->host)->regions;
        return true;
}

static bool model_uses(int model, struct scenario_target target)
{
        if (target.section != SECTION_WORKLOAD)
                return true;
        if (target.index == TARGET_LOAD_MS)
                return workload_uses_loads(model);
        if (target.index == TARGET_FILE)
                return workload_uses_file(model);
        return workload_uses(model, (enum workload_param)target.index);
}

/* ---- Who uses it, for people ---- */

void scenario_users(struct scenario_target target, char *text, size_t size)
{
        bool all = true;
        text[0] = '\0';
        for (int i = 0; system_at(i); i++) {
                if (system_uses(system_at(i), target))
                        lb_text_add(text, size, "%s%s", text[0] ? ", " : "", system_at(i)->name);
                else
                        all = false;
        }
        if (all)
                text[0] = '\0';
}

static void users_of_model(struct scenario_target target, char *text, size_t size)
{
        text[0] = '\0';
        for (int i = 0; workload_models[i]; i++)
                if (model_uses(i, target))
                        lb_text_add(text, size, "%s%s", text[0] ? ", " : "", workload_models[i]);
}

/* ---- What a scenario asks for ---- */

/* Visit the values that a choice takes in the scenario: those of its axis, or the one there is. */
static bool any_value(const struct scenario *scenario, struct scenario_target choice,
                      struct scenario_target target, bool (*uses)(int, struct scenario_target))
{
        const struct scenario_axis *axis;
        int32_t place;
        scenario_value_at(scenario, 0, choice, &axis, &place);
        if (!axis)
                return uses((int)scenario->body->value[choice.section][choice.index], target);
        for (int32_t v = 0; v < axis->nvalue; v++)
                if (uses((int)axis->cell[v * axis->npath + place].number, target))
                        return true;
        return false;
}

static bool is_by_option(const struct scenario *scenario, struct scenario_target target)
{
        char path[128], pointer[SCENARIO_POINTER_SIZE];
        scenario_target_path(target, path, sizeof(path));
        scenario_locate(scenario, target, pointer);
        return scenario_set_of(scenario, path, pointer) != NULL;
}

/* By an option of its own, or by a sweep that an option put in the place of the file's. */
static bool is_chosen_anew(const struct scenario *scenario, struct scenario_target choice)
{
        return is_by_option(scenario, choice) || scenario_set_of(scenario, "sweep", "/sweep");
}

/* Is the target what the file says, without a sweep that is to show its effect? */
static bool is_left_over(const struct scenario *scenario, struct scenario_target target)
{
        const struct scenario_axis *axis;
        int32_t place;
        scenario_value_at(scenario, 0, target, &axis, &place);
        return axis ? axis->nvalue == 1 : !is_by_option(scenario, target);
}

/* Does the scenario use the target, as far as a choice goes, or is it excused? */
static bool is_fine(const struct scenario *scenario, struct scenario_target choice,
                    struct scenario_target target, bool (*uses)(int, struct scenario_target))
{
        return any_value(scenario, choice, target, uses) ||
               (is_chosen_anew(scenario, choice) && is_left_over(scenario, target));
}

static bool system_number_uses(int number, struct scenario_target target)
{
        return system_uses(system_at(number), target);
}

static int complain(const struct scenario *scenario, struct scenario_target target,
                    struct lb_error *err)
{
        static const struct scenario_target system = { SECTION_SYSTEM, SYSTEM_NAME };
        static const struct scenario_target model = { SECTION_WORKLOAD, WORKLOAD_MODEL };
        char path[128], pointer[SCENARIO_POINTER_SIZE], users[512];
        bool other_system = !is_fine(scenario, system, target, system_number_uses);
        struct scenario_target choice = other_system ? system : model;
        const char *kind = other_system ? "system" : "model";
        const struct lb_param *param = scenario_target_param(choice);
        const struct scenario_axis *axis;
        int32_t place;
        (other_system ? scenario_users : users_of_model)(target, users, sizeof(users));
        scenario_value_at(scenario, 0, choice, &axis, &place);
        scenario_target_path(target, path, sizeof(path));
        scenario_locate(scenario, target, pointer);
        if (axis)
                return scenario_complain(scenario, path, pointer, err,
                                         "none of the %ss that are swept uses %s, but %s", kind,
                                         path, users);
        return scenario_complain(
            scenario, path, pointer, err, "%s \"%s\" does not use %s, but %s", kind,
            param->choices[(int)scenario->body->value[choice.section][choice.index]], path, users);
}

static int check(const struct scenario *scenario, struct scenario_target target,
                 struct lb_error *err)
{
        static const struct scenario_target system = { SECTION_SYSTEM, SYSTEM_NAME };
        static const struct scenario_target model = { SECTION_WORKLOAD, WORKLOAD_MODEL };
        if (!scenario->body->given[target.section][target.index] ||
            (is_fine(scenario, system, target, system_number_uses) &&
             is_fine(scenario, model, target, model_uses)))
                return 0;
        return complain(scenario, target, err);
}

int scenario_check_used(const struct scenario *scenario, bool for_others, struct lb_error *err)
{
        static const enum scenario_section section[] = { SECTION_SYSTEM, SECTION_RUNTIME,
                                                         SECTION_WORKLOAD };
        for (size_t s = 0; s < sizeof(section) / sizeof(section[0]); s++) {
                struct scenario_target target = { section[s], 0 };
                int lists = 0;
                while (scenario_list_name(section[s], lists))
                        lists++;
                int count = (int)lb_param_count(scenario_section_table(section[s])) + lists;
                for (; target.index < count; target.index++)
                        if (!(for_others && is_by_option(scenario, target)) &&
                            check(scenario, target, err) < 0)
                                return -1;
        }
        return 0;
}
