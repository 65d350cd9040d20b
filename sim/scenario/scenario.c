/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_impl.h"

static int check_root(const struct scenario *scenario, struct lb_error *err)
{
        const cJSON *root = scenario->json.root;
        if (cJSON_IsObject(root))
                return 0;
        return lb_json_complain(&scenario->json, "", err,
                                "found %s, allowed is an object: a scenario", lb_json_kind(root));
}

static int prepare(struct scenario *scenario, struct lb_error *err)
{
        scenario->body = calloc(1, sizeof(*scenario->body));
        scenario->tree = cJSON_Duplicate(scenario->json.root, true);
        if (scenario->body && scenario->tree)
                return 0;
        return lb_error_fail(err, "out of memory for scenario '%s'", scenario->json.file);
}

static int read_all(struct scenario *scenario, const struct scenario_options *options,
                    struct lb_error *err)
{
        if (check_root(scenario, err) < 0 || prepare(scenario, err) < 0 ||
            scenario_set_apply(scenario, options, err) < 0 || scenario_read(scenario, err) < 0 ||
            scenario_sweep_read(scenario, err) < 0 ||
            scenario_expand(scenario, options->for_others, err) < 0) {
                scenario_close(scenario);
                return -1;
        }
        scenario_identify(scenario);
        return 0;
}

static int refuse(const char *file, struct lb_error *err)
{
        char near[LB_DATA_PATH_SIZE];
        struct lb_error why = *err;
        return scenario_nearest_file(file, near)
                   ? lb_error_set(err, "%s, did you mean '%s'?", why.text, near)
                   : -1;
}

int scenario_open(struct scenario *scenario, const char *file,
                  const struct scenario_options *options, struct lb_error *err)
{
        *scenario = (struct scenario){ 0 };
        return lb_json_open(&scenario->json, file, err) < 0 ? refuse(file, err)
                                                            : read_all(scenario, options, err);
}

int scenario_open_text(struct scenario *scenario, const char *file, const char *text,
                       const struct scenario_options *options, struct lb_error *err)
{
        *scenario = (struct scenario){ 0 };
        return lb_json_parse(&scenario->json, file, text, strlen(text), err) < 0
                   ? -1
                   : read_all(scenario, options, err);
}

static void body_destroy(struct scenario_body *body)
{
        if (!body)
                return;
        for (int32_t i = 0; i < body->naxis; i++)
                scenario_axis_finish(&body->axis[i]);
        for (int32_t i = 0; i < body->nset; i++) {
                free(body->set[i].path);
                free(body->set[i].option);
        }
        scenario_cell_finish(&body->speed);
        scenario_cell_finish(&body->load);
        scenario_cell_finish(&body->file);
        free(body->axis);
        free(body->set);
        free(body->value[0]);
        free(body->given[0]);
        free(body);
}

void scenario_close(struct scenario *scenario)
{
        body_destroy(scenario->body);
        free(scenario->combination);
        free(scenario->name);
        free(scenario->description);
        cJSON_Delete(scenario->tree);
        lb_json_close(&scenario->json);
        *scenario = (struct scenario){ 0 };
}
