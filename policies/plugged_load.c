/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared objects with a policy: loaded, checked, taken in. */
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policies/plugged.h"
#include "policies/called.h"
#include "policies/grow.h"
#include "policies/state.h"

/* ---- Parts ---- */

static int lacks(const char *file, const char *kind, const char *what, struct lb_error *err)
{
        return lb_error_set(err, "%s: its %s has no %s: all members must be set", file, kind, what);
}

static int check_name(const char *file, const char *kind, const char *name, struct lb_error *err)
{
        size_t length = name ? strlen(name) : 0;
        bool fits = length > 0 && length <= PLUGGED_NAME_MAX;
        for (size_t i = 0; i < length && fits; i++)
                fits = isalnum((unsigned char)name[i]) || strchr("_-", name[i]);
        if (fits)
                return 0;
        return lb_error_set(err,
                            "%s: its %s is named '%.60s', allowed are up to %d letters, digits, "
                            "'_' and '-'",
                            file, kind, name ? name : "", PLUGGED_NAME_MAX);
}

static int taken(const char *file, const char *kind, const char *name, struct lb_error *err)
{
        return lb_error_set(err, "%s: the name of its %s '%s' is taken: give it another", file,
                            kind, name);
}

static int check_param(const char *file, const struct lb_param *param, struct lb_error *err)
{
        enum { LONGEST = 47 };
        struct lb_error why;
        size_t length = strspn(param->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_");
        if (length == 0 || length > LONGEST || param->name[length] != '\0')
                return lb_error_set(err,
                                    "%s: it has a parameter named '%.60s', allowed are up to %d "
                                    "letters, digits and '_'",
                                    file, param->name, LONGEST);
        bool number = param->type == LB_PARAM_NUMBER || param->type == LB_PARAM_INTEGER;
        bool choice = param->type == LB_PARAM_CHOICE && param->choices;
        if (!param->help || (!number && !choice && param->type != LB_PARAM_SWITCH))
                return lb_error_set(err, "%s: its parameter '%.60s' has no help, type or choices",
                                    file, param->name);
        if (lb_param_check(param, param->fallback, &why) == 0)
                return 0;
        return lb_error_set(err, "%s: the default of its parameter '%.60s': %s", file, param->name,
                            why.text);
}

/* Of a policy, what is asked of every kind. */
struct part {
        const char *kind, *name;
        const struct lb_param *params;
        bool there; /* else the plugin has none of that kind */
        bool whole, taken;
        bool acts; /* it has what only its kind has, named by `by` */
        const char *by;
};

#define PART(kind_type, words, its, does)                                                          \
        {                                                                                          \
                .kind = (words), .there = type, .by = (its), .acts = type && (does),               \
                .name = type ? type->name : NULL, .params = type ? type->params : NULL,            \
                .whole = type && type->help && type->params && type->state_size && type->init,     \
                .taken = type && type->name && kind_type##_find(type->name)                        \
        }

static int check_part(const char *file, const struct part *part, struct lb_error *err)
{
        if (!part->there)
                return 0;
        if (check_name(file, part->kind, part->name, err) < 0)
                return -1;
        if (lb_param_count(part->params) > PLUGGED_PARAM_MAX)
                return lb_error_set(err, "%s: its %s has %zu parameters, allowed are %d", file,
                                    part->kind, lb_param_count(part->params), PLUGGED_PARAM_MAX);
        for (const struct lb_param *param = part->params; param && param->name; param++)
                if (check_param(file, param, err) < 0)
                        return -1;
        if (!part->whole)
                return lacks(file, part->kind, "help, params, state_size or init", err);
        if (!part->acts)
                return lacks(file, part->kind, part->by, err);
        return part->taken ? taken(file, part->kind, part->name, err) : 0;
}

static int check_alloc(const char *file, const struct alloc_type *type, struct lb_error *err)
{
        struct part part = PART(alloc, "allocation policy", "observe, decide or release",
                                type->observe && type->decide && type->release);
        if (check_part(file, &part, err) < 0)
                return -1;
        if (!type)
                return 0;
        if (type->scope != ALLOC_SCOPE_NODE && type->scope != ALLOC_SCOPE_GLOBAL)
                return lacks(file, part.kind, "scope", err);
        return type->variants
                   ? lb_error_set(err, "%s: its %s has variants, allowed are none", file, part.kind)
                   : 0;
}

static int check_lend(const char *file, const struct lend_type *type, struct lb_error *err)
{
        struct part part = PART(lend, "lending policy", "decide", type->decide);
        return check_part(file, &part, err);
}

static int check_place(const char *file, const struct place_type *type, struct lb_error *err)
{
        struct part part =
            PART(place, "placement policy", "place or refill", type->place && type->refill);
        return check_part(file, &part, err);
}

static int check_migrate(const char *file, const struct migrate_type *type, struct lb_error *err)
{
        struct part part = PART(migrate, "migration policy", "load, decide or replicate",
                                type->load && type->decide && type->replicate);
        return check_part(file, &part, err);
}

static int check_pack(const char *file, const struct pack_type *type, struct lb_error *err)
{
        struct part part = PART(pack, "packing policy", "decide, tolerance or align",
                                type->decide && type->tolerance && type->align);
        return check_part(file, &part, err);
}

static int check_dpb(const char *file, const struct dpb_type *type, struct lb_error *err)
{
        struct part part = PART(dpb, "processor policy", "decide", type->decide);
        return check_part(file, &part, err);
}

/* ---- The whole ---- */

static int check_member(const char *file, const char *kind, const char *name, bool there,
                        struct lb_error *err)
{
        if (there)
                return 0;
        return lb_error_set(err,
                            "%s: its system names the %s policy '%.60s', which is neither in "
                            "the plugin nor built in",
                            file, kind, name ? name : "");
}

static bool is_own(const char *name, const char *own)
{
        return name && own && strcmp(name, own) == 0;
}

/* Of a system with a host of its own: the one policy that it names. */
static int check_hosted(const char *file, const struct lb_plugin *plugin, struct lb_error *err)
{
        const struct system_type *s = plugin->system;
        const char *migrate = plugin->migrate ? plugin->migrate->name : NULL;
        const char *pack = plugin->pack ? plugin->pack->name : NULL;
        const char *dpb = plugin->dpb ? plugin->dpb->name : NULL;
        if (strcmp(s->host, "packing") == 0)
                return check_member(file, "packing", s->pack,
                                    is_own(s->pack, pack) || (s->pack && pack_find(s->pack)), err);
        if (strcmp(s->host, "dpb") == 0)
                return check_member(file, "processor", s->dpb,
                                    is_own(s->dpb, dpb) || (s->dpb && dpb_find(s->dpb)), err);
        if (strcmp(s->host, "chameleon") == 0)
                return check_member(
                    file, "migration", s->migrate,
                    is_own(s->migrate, migrate) || (s->migrate && migrate_find(s->migrate)), err);
        return lb_error_set(err,
                            "%s: the host of its system is '%.60s', allowed are none, "
                            "\"chameleon\", \"packing\" and \"dpb\"",
                            file, s->host);
}

static int check_system(const char *file, const struct lb_plugin *plugin, struct lb_error *err)
{
        const struct system_type *s = plugin->system;
        if (!s)
                return lb_error_set(err, "%s: the plugin has no system", file);
        if (check_name(file, "system", s->name, err) < 0)
                return -1;
        if (!s->help)
                return lacks(file, "system", "help", err);
        if (system_find(s->name))
                return taken(file, "system", s->name, err);
        if (s->host)
                return check_hosted(file, plugin, err);
        if (check_member(file, "growth", s->grow, !s->grow || grow_find(s->grow), err) < 0)
                return -1;
        const char *alloc = plugin->alloc ? plugin->alloc->name : NULL;
        const char *lend = plugin->lend ? plugin->lend->name : NULL;
        const char *place = plugin->place ? plugin->place->name : NULL;
        if (check_member(file, "allocation", s->alloc,
                         is_own(s->alloc, alloc) || (s->alloc && alloc_find(s->alloc)), err) < 0 ||
            check_member(file, "lending", s->lend,
                         is_own(s->lend, lend) || (s->lend && lend_find(s->lend)), err) < 0)
                return -1;
        return check_member(file, "placement", s->place,
                            is_own(s->place, place) || (s->place && place_find(s->place)), err);
}

static int check(const char *file, const struct lb_plugin *plugin, struct lb_error *err)
{
        if (plugin->abi != LB_PLUGIN_ABI)
                return lb_error_set(err,
                                    "%s: built for plugin ABI %d, allowed is %d: compile it "
                                    "again",
                                    file, plugin->abi, LB_PLUGIN_ABI);
        if (check_alloc(file, plugin->alloc, err) < 0 || check_lend(file, plugin->lend, err) < 0 ||
            check_place(file, plugin->place, err) < 0 ||
            check_migrate(file, plugin->migrate, err) < 0 ||
            check_pack(file, plugin->pack, err) < 0 || check_dpb(file, plugin->dpb, err) < 0)
                return -1;
        return check_system(file, plugin, err);
}

/* ---- The file ---- */

static bool is_known(const char *path)
{
        for (int i = 0; plugged_at(i); i++)
                if (strcmp(plugged_at(i)->path, path) == 0)
                        return true;
        return false;
}

static int find_file(const char *file, struct plugged *plugged, struct lb_error *err)
{
        char *path = realpath(file, NULL);
        if (!path)
                return lb_error_set(err, "%s: cannot be found: %s", file, strerror(errno));
        bool fits = strlen(path) < sizeof(plugged->path);
        if (fits)
                memcpy(plugged->path, path, strlen(path) + 1);
        free(path);
        if (!fits)
                return lb_error_set(err, "%s: its path is longer than %d", file,
                                    PLUGGED_PATH_SIZE - 1);
        return 0;
}

int plugged_load(const char *file, struct lb_error *err)
{
        struct plugged plugged = { .plugin = NULL };
        if (find_file(file, &plugged, err) < 0)
                return -1;
        if (is_known(plugged.path))
                return 0;
        if (plugged_at(PLUGGED_MAX - 1))
                return lb_error_set(err, "%s: too many policies, allowed are %d", file,
                                    PLUGGED_MAX);
        called_begin(file, CALLED_LOADING); /* what it has for constructors */
        void *object = dlopen(plugged.path, RTLD_NOW | RTLD_LOCAL);
        called_end();
        if (!object)
                return lb_error_set(err, "%s: cannot be loaded: %s", file, dlerror());
        plugged.plugin = dlsym(object, "lb_plugin");
        int status =
            plugged.plugin
                ? check(file, plugged.plugin, err)
                : lb_error_set(err, "%s: it defines no lb_plugin (policies/plugin.h)", file);
        if (status < 0) {
                dlclose(object);
                return -1;
        }
        plugged_add(&plugged);
        state_guard();
        return 0;
}
