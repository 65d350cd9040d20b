/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/scenario/scenario_impl.h"

/*
 * "include": a file that describes a machine, as lbsim calibrate writes it: the scenario's sections
 * "platform" and "runtime", of which the numbers hold where the scenario itself says nothing, as
 * if they were the defaults. What else is in it ("measured", "description") is for readers.
 */

static const char *const notes[] = { "$schema", "schema", "name", "description", "measured" };

static bool is_note(const char *key)
{
        for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
                if (strcmp(notes[i], key) == 0)
                        return true;
        return false;
}

static int read_machine(struct scenario *machine, struct lb_error *err)
{
        if (!cJSON_IsObject(machine->json.root))
                return lb_json_complain(&machine->json, "", err,
                                        "found %s, allowed is an object: a machine",
                                        lb_json_kind(machine->json.root));
        for (const cJSON *child = machine->json.root->child; child; child = child->next) {
                char pointer[SCENARIO_POINTER_SIZE] = "";
                scenario_pointer_add(pointer, child->string);
                int section = scenario_section_find(SECTION_COUNT, child->string);
                if (is_note(child->string))
                        continue;
                if (section != SECTION_PLATFORM && section != SECTION_RUNTIME)
                        return lb_json_complain(&machine->json, pointer, err,
                                                "unknown key \"%.60s\", a machine that is included "
                                                "has \"platform\" and \"runtime\"",
                                                child->string);
                if (scenario_section_read(machine, (enum scenario_section)section, pointer, child,
                                          err) < 0)
                        return -1;
        }
        if (machine->body->speed.speed)
                return lb_json_complain(&machine->json, "/platform/speed", err,
                                        "a machine that is included has no list of speeds");
        return 0;
}

/* Numbers become what holds where nothing is said. */
static void take(struct scenario *scenario, const struct scenario *machine)
{
        for (int s = 0; s < SECTION_COUNT; s++) {
                size_t count = lb_param_count(scenario_section_table((enum scenario_section)s));
                for (size_t i = 0; i < count; i++)
                        if (machine->body->given[s][i])
                                scenario->body->value[s][i] = machine->body->value[s][i];
        }
        scenario->body->include_hash = lb_hash(machine->json.text, machine->json.size, 0);
}

static int read_file(struct scenario *scenario, const char *path, struct lb_error *err)
{
        struct scenario machine = { 0 };
        if (lb_json_open(&machine.json, path, err) < 0)
                return -1;
        machine.body = calloc(1, sizeof(*machine.body));
        int status = machine.body && scenario_make_values(machine.body) == 0
                         ? read_machine(&machine, err)
                         : lb_error_fail(err, "out of memory for '%s'", path);
        if (status == 0)
                take(scenario, &machine);
        scenario_close(&machine);
        return status;
}

int scenario_include(struct scenario *scenario, struct lb_error *err)
{
        static const char key[] = "include";
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(scenario->tree, key);
        if (!item)
                return 0;
        if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
                return scenario_complain(scenario, key, "/include", err,
                                         "found %s, allowed is the name of a file",
                                         lb_json_kind(item));
        char *path = scenario_file_beside(scenario, key, "/include", item->valuestring);
        if (!path)
                return lb_error_fail(err, "out of memory");
        int status = read_file(scenario, path, err);
        free(path);
        return status;
}
