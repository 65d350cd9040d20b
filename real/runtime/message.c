/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between ranks, as they are read. All ranks run the same program, and an address that one
 * has given away and gets back is believed; but a message of another size, or whose parts do not
 * fit it, ends the job before anything of it is used.
 */
#include <string.h>

#include "real/runtime/process.h"

void message_refuse(const struct transport_message *message)
{
        fail("lbrun", "a message of kind %d from rank %d, of %zu bytes, is none of this program's",
             (int)message->kind, (int)message->source, message->body_bytes);
}

void message_read(const struct transport_message *message, void *to, size_t bytes)
{
        if (message->body_bytes != bytes)
                message_refuse(message);
        memcpy(to, message->body, bytes);
}

void message_head(const struct transport_message *message, void *to, size_t bytes)
{
        if (message->body_bytes < bytes)
                message_refuse(message);
        memcpy(to, message->body, bytes);
}
