/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/library.h"

#include <gsl/gsl_errno.h>

void library_quiet(void)
{
        igraph_set_error_handler(igraph_error_handler_ignore);
        igraph_set_warning_handler(igraph_warning_handler_ignore);
        igraph_set_attribute_table(&igraph_cattribute_table);
        gsl_set_error_handler_off();
}

int library_error(struct lb_error *err, const char *what, igraph_error_t code)
{
        return lb_error_fail(err, "%s: igraph: %s", what, igraph_strerror(code));
}
