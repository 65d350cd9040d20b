/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "real/mpi/polite_impl.h"

/*
 * Messages between two ranks, and waits for requests. What comes from MPI_PROC_NULL comes at once;
 * its status is right only from the plain calls in MPICH 4.0.
 */
const char polite_point_linked = 1;

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Isend(data, count, type, to, tag, comm, &wait.request));
}

int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Issend(data, count, type, to, tag, comm, &wait.request));
}

int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
        struct polite wait = polite_begin();
        return polite_end(&wait, PMPI_Irsend(data, count, type, to, tag, comm, &wait.request));
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
        if (from == MPI_PROC_NULL)
                return PMPI_Recv(data, count, type, from, tag, comm, status);
        struct polite wait = polite_begin();
        int code = PMPI_Irecv(data, count, type, from, tag, comm, &wait.request);
        return polite_end_status(&wait, code, status);
}

int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
        if (*message == MPI_MESSAGE_NO_PROC)
                return PMPI_Mrecv(data, count, type, message, status);
        struct polite wait = polite_begin();
        int code = PMPI_Imrecv(data, count, type, message, &wait.request);
        return polite_end_status(&wait, code, status);
}

int MPI_Sendrecv(const void *out, int nout, MPI_Datatype tout, int to, int out_tag, void *in,
                 int nin, MPI_Datatype tin, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
        struct polite wait = polite_begin();
        MPI_Request sent;
        int code = PMPI_Irecv(in, nin, tin, from, in_tag, comm, &wait.request);
        if (code == MPI_SUCCESS)
                code = PMPI_Isend(out, nout, tout, to, out_tag, comm, &sent);
        if (code == MPI_SUCCESS)
                code = polite_wait(&sent, MPI_STATUS_IGNORE);
        code = polite_end_status(&wait, code, status);
        if (code == MPI_SUCCESS && from == MPI_PROC_NULL)
                code = PMPI_Recv(in, nin, tin, from, in_tag, comm, status);
        return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
        struct polite wait = polite_begin();
        return polite_done(&wait, polite_wait(request, status));
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
        struct polite wait = polite_begin();
        for (;;) {
                int done = 0;
                int code = PMPI_Testall(count, requests, &done, statuses);
                if (code != MPI_SUCCESS || done)
                        return polite_done(&wait, code);
                polite_rest(wait.start_ns);
        }
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
        struct polite wait = polite_begin();
        for (;;) {
                int done = 0;
                int code = PMPI_Testany(count, requests, index, &done, status);
                if (code != MPI_SUCCESS || done)
                        return polite_done(&wait, code);
                polite_rest(wait.start_ns);
        }
}

int MPI_Waitsome(int count, MPI_Request requests[], int *ndone, int indices[],
                 MPI_Status statuses[])
{
        struct polite wait = polite_begin();
        for (;;) {
                int code = PMPI_Testsome(count, requests, ndone, indices, statuses);
                if (code != MPI_SUCCESS || *ndone != 0)
                        return polite_done(&wait, code);
                polite_rest(wait.start_ns);
        }
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
        struct polite wait = polite_begin();
        for (;;) {
                int found = 0;
                int code = PMPI_Iprobe(from, tag, comm, &found, status);
                if (code != MPI_SUCCESS || found)
                        return polite_done(&wait, code);
                polite_rest(wait.start_ns);
        }
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
        struct polite wait = polite_begin();
        for (;;) {
                int found = 0;
                int code = PMPI_Improbe(from, tag, comm, &found, message, status);
                if (code != MPI_SUCCESS || found)
                        return polite_done(&wait, code);
                polite_rest(wait.start_ns);
        }
}
