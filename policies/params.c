/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/params.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "policies/plugged.h"

static bool same_text(const char *a, const char *b)
{
        return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_choices(const char *const *a, const char *const *b)
{
        if (!a || !b)
                return a == b;
        for (; *a && *b && strcmp(*a, *b) == 0; a++)
                b++;
        return !*a && !*b;
}

static bool same_number(double a, double b)
{
        return memcmp(&a, &b, sizeof(a)) == 0;
}

/* All but the name. */
static bool same(const struct lb_param *a, const struct lb_param *b)
{
        return a->type == b->type && same_text(a->unit, b->unit) && same_text(a->help, b->help) &&
               same_number(a->fallback, b->fallback) && same_number(a->min, b->min) &&
               same_number(a->max, b->max) && same_choices(a->choices, b->choices) &&
               a->differs == b->differs && same_number(a->original, b->original);
}

/* What the parameter is called when it cannot be called what others are called: try after try. */
static const char *call(const char *owner, const char *name, int attempt,
                        char text[static POLICY_PARAM_NAME_SIZE])
{
        if (attempt == 0)
                return name;
        if (attempt == 1)
                snprintf(text, POLICY_PARAM_NAME_SIZE, "%s_%s", owner, name);
        else
                snprintf(text, POLICY_PARAM_NAME_SIZE, "%s_%s_%d", owner, name, attempt);
        return text;
}

/* Its place, or that behind the last, and what it is called. */
static int look(const struct policy_params *all, const char *owner, const struct lb_param *param,
                char text[static POLICY_PARAM_NAME_SIZE])
{
        for (int attempt = 0;; attempt++) {
                const char *name = call(owner, param->name, attempt, text);
                int known = lb_param_find(all->param, name);
                if (known >= 0 && !same(&all->param[known], param))
                        continue;
                if (attempt == 0)
                        text[0] = '\0';
                return known < 0 ? all->count : known;
        }
}

void policy_params_add(struct policy_params *all, const char *owner, const struct lb_param *params)
{
        for (; params && params->name; params++) {
                char text[POLICY_PARAM_NAME_SIZE];
                int place = look(all, owner, params, text);
                if (place < all->count)
                        continue;
                assert(place < POLICY_PARAM_MAX); /* PLUGGED_PARAM_MAX keeps plugins from it */
                memcpy(all->name[place], text, sizeof(text));
                all->param[place] = *params;
                if (text[0] != '\0')
                        all->param[place].name = all->name[place];
                all->count++;
        }
}

static const char *const presets[] = { "paper", "original", "published", NULL };
static const struct lb_param own_params[] = {
        [SYSTEM_PARAM_AS] = { .name = "as",
                              .type = LB_PARAM_CHOICE,
                              .choices = presets,
                              .help = "defaults as the paper says, or as the original code does "
                                      "where it differs, or published: as that code did until "
                                      "March 2022, which explains most of what was measured" },
        [SYSTEM_PARAM_LEWI] = { .name = "lewi",
                                .type = LB_PARAM_SWITCH,
                                .fallback = 1,
                                .max = 1,
                                .help = "lend idle cores within a node" },
        [SYSTEM_PARAM_DROM] = { .name = "drom",
                                .type = LB_PARAM_SWITCH,
                                .fallback = 1,
                                .max = 1,
                                .help = "move the ownership of cores" },
        { .name = NULL },
};

void policy_params_add_systems(struct policy_params *all)
{
        policy_params_add(all, "system", own_params);
        for (int i = 0; alloc_types[i]; i++)
                policy_params_add(all, alloc_types[i]->name, alloc_types[i]->params);
        for (int i = 0; lend_types[i]; i++)
                policy_params_add(all, lend_types[i]->name, lend_types[i]->params);
        for (int i = 0; place_types[i]; i++)
                policy_params_add(all, place_types[i]->name, place_types[i]->params);
}

void policy_params_add_plugged(struct policy_params *all)
{
        for (int i = 0; plugged_at(i); i++) {
                const struct lb_plugin *plugin = plugged_at(i)->plugin;
                if (plugin->alloc)
                        policy_params_add(all, plugin->alloc->name, plugin->alloc->params);
                if (plugin->lend)
                        policy_params_add(all, plugin->lend->name, plugin->lend->params);
                if (plugin->place)
                        policy_params_add(all, plugin->place->name, plugin->place->params);
                if (plugin->migrate)
                        policy_params_add(all, plugin->migrate->name, plugin->migrate->params);
                if (plugin->pack)
                        policy_params_add(all, plugin->pack->name, plugin->pack->params);
                if (plugin->dpb)
                        policy_params_add(all, plugin->dpb->name, plugin->dpb->params);
        }
}

int policy_params_find(const struct policy_params *all, const char *owner,
                       const struct lb_param *param)
{
        char text[POLICY_PARAM_NAME_SIZE];
        int place = look(all, owner, param, text);
        assert(place < all->count);
        return place;
}

void policy_params_values(const struct policy_params *all, const double *from, const char *owner,
                          const struct lb_param *params, double *value)
{
        for (size_t i = 0; params && params[i].name; i++)
                value[i] = from[policy_params_find(all, owner, &params[i])];
}
