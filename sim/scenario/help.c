/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/scenario/scenario_impl.h"

/* What can be set, for people. */

static bool is_systems_own(enum scenario_section section, int index)
{
        return section == SECTION_SYSTEM && (index == SYSTEM_LEWI || index == SYSTEM_DROM);
}

/* A value as it is typed after --set. */
static void format(const struct lb_param *param, double value, char *text, size_t size)
{
        if (param->type == LB_PARAM_CHOICE)
                snprintf(text, size, "%s", param->choices[(int)value]);
        else
                lb_param_format(param, value, text, size);
}

static void print_param(FILE *out, const char *path, const struct lb_param *param, bool systems_own,
                        const char *users)
{
        char allowed[512], fallback[128], original[128];
        lb_param_allowed(param, allowed, sizeof(allowed));
        format(param, param->fallback, fallback, sizeof(fallback));
        format(param, param->original, original, sizeof(original));
        fprintf(out, "  %s\n      %s\n      %s; default %s", path, param->help, allowed,
                systems_own ? "the system's own" : fallback);
        if (param->differs)
                fprintf(out, "; original code %s", original);
        if (users[0])
                fprintf(out, "\n      of %s", users);
        fputc('\n', out);
}

static const char *list_help(struct scenario_target target)
{
        if (target.section == SECTION_PLATFORM)
                return "nodes of another speed, [{\"node\": 0, \"factor\": 0.5}, ...]; default all "
                       "1;\n      \"every\": 4 means every fourth node from there on as well, "
                       "\"link\": "
                       "0.5 that its NIC\n      has half the bandwidth";
        if (scenario_target_is_file(target))
                return "with model trace: the measured work, as lbrun --loads writes it; with "
                       "model "
                       "graph:\n      tasks and what they wait for, apprank,seconds,bytes,after, "
                       "and "
                       "iteration where\n      these differ; relative to the scenario's file";
        return "with model given: the appranks' mean task durations in ms, [50, 75, ...]";
}

static void print_lists(FILE *out, enum scenario_section section)
{
        char path[128];
        struct scenario_target target = { section,
                                          (int)lb_param_count(scenario_section_table(section)) };
        for (int i = 0; scenario_list_name(section, i); i++, target.index++) {
                scenario_target_path(target, path, sizeof(path));
                fprintf(out, "  %s\n      %s\n", path, list_help(target));
        }
}

void scenario_print_help(FILE *out)
{
        fputs("Parameters of a scenario, as paths for --set and \"sweep\".\n"
              "One that the scenario's system or model does not use is refused; where systems or\n"
              "models are swept it is enough that one of them does. What a file says of another "
              "system\n"
              "or model than one chosen by an option is left alone, unless it is swept.\n",
              out);
        for (int s = 0; s < SECTION_COUNT; s++) {
                enum scenario_section section = (enum scenario_section)s;
                const struct lb_param *table = scenario_section_table(section);
                fputc('\n', out);
                for (int i = 0; table[i].name; i++) {
                        struct scenario_target target = { section, i };
                        char path[128], users[512];
                        scenario_target_path(target, path, sizeof(path));
                        scenario_users(target, users, sizeof(users));
                        print_param(out, path, &table[i], is_systems_own(section, i), users);
                }
                print_lists(out, section);
        }
        fputc('\n', out);
        for (int i = 0; i < ROOT_NPARAM; i++)
                print_param(out, scenario_root_params[i].name, &scenario_root_params[i], false, "");
        fputs("\nSystems:\n", out);
        for (int i = 0; system_at(i); i++)
                fprintf(out, "  %-10s %s\n", system_at(i)->name, system_at(i)->help);
}
