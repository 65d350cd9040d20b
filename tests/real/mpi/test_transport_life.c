/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mpi_test.h"

/*
 * Life cycle and wrong use. With an argument, a wrong use that must end the job with a message:
 * "kind", "body", "destination" or "unexpected".
 */
struct story {
        struct mpi_test_world world;
        struct transport *transport;
        int64_t handled, sent;
};

static char shared[100000]; /* at another address in other ranks: for messages to self */

static void on_message(void *user, const struct transport_message *message)
{
        struct story *story = user;
        MPI_TEST(message->source == story->world.rank);
        MPI_TEST(message->data == shared && message->data_bytes == sizeof(shared));
        MPI_TEST(!strcmp(message->body, "to myself"));
        story->handled++;
}

static void on_sent(void *user, void *argument)
{
        struct story *story = user;
        MPI_TEST(argument == shared);
        story->sent++;
}

static void post_to_self(struct story *story)
{
        transport_post(story->transport, &(struct transport_post){
                                             .destination = story->world.rank,
                                             .body = "to myself",
                                             .body_bytes = sizeof("to myself"),
                                             .data = shared,
                                             .data_bytes = sizeof(shared),
                                             .sent_argument = shared,
                                         });
}

static struct transport_spec make_spec(struct story *story)
{
        struct transport_spec spec = mpi_test_spec(&story->world);
        spec.handler[0] = on_message;
        spec.sent = on_sent;
        spec.user = story;
        return spec;
}

/* Transports come and go, also with no patience, and none loses what was posted just before. */
static void test_again_and_again(struct story *story)
{
        struct transport_spec spec = make_spec(story);
        for (int64_t i = 0; i < 20; i++) {
                struct lb_error err;
                spec.spin_us = i % 2 == 0 ? 0.0 : 1000.0;
                story->handled = story->sent = 0;
                story->transport = transport_create(&spec, &err);
                MPI_TEST(story->transport);
                for (int64_t n = 0; n < i; n++)
                        post_to_self(story);
                transport_destroy(story->transport);
                MPI_TEST(story->handled == i && story->sent == i);
        }
        transport_destroy(NULL);
}

/* Wrong times are refused with a message that names them; ranks that were well are told. */
static void test_wrong_spec(struct story *story)
{
        static const struct {
                double spin_us, message_poll_us;
                const char *message;
        } table[] = {
                { -1.5, 200.0, "spin_us is -1.5, at least 0 is allowed" },
                { NAN, 200.0, "spin_us is nan, at least 0 is allowed" },
                { 50.0, 0.0, "message_poll_us is 0, more than 0 is allowed" },
        };
        for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
                struct transport_spec spec = make_spec(story);
                struct lb_error err;
                if (story->world.rank == 0) {
                        spec.spin_us = table[i].spin_us;
                        spec.message_poll_us = table[i].message_poll_us;
                }
                MPI_TEST(!transport_create(&spec, &err));
                MPI_TEST(!strcmp(err.text, story->world.rank == 0
                                               ? table[i].message
                                               : "another rank could not set up its messages"));
        }
}

static void do_wrong(struct story *story, const char *what)
{
        struct transport_spec spec = make_spec(story);
        struct transport_post post = { .destination = 1 - story->world.rank };
        struct lb_error err;
        story->transport = transport_create(&spec, &err);
        MPI_TEST(story->transport);
        if (!strcmp(what, "kind"))
                post.kind = TRANSPORT_KIND_MAX;
        else if (!strcmp(what, "body"))
                post.body_bytes = TRANSPORT_BODY_MAX + 1;
        else if (!strcmp(what, "destination"))
                post.destination = story->world.nrank;
        else
                post.kind = 5; /* nobody expects it */
        if (story->world.rank == 0)
                transport_post(story->transport, &post);
        transport_destroy(story->transport);
}

int main(int argc, char **argv)
{
        struct story story = { .world = mpi_test_begin(&argc, &argv) };
        if (argc > 1) {
                do_wrong(&story, argv[1]);
        } else {
                test_again_and_again(&story);
                test_wrong_spec(&story);
        }
        mpi_test_end("life");
        return 0;
}
