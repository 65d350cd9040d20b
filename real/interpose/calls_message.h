/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of MPI, and messages between two ranks. A part of the table in real/interpose/calls.h. */

/* ---- Life ---- */

PLAIN(LIFE, Init, none, MPI_COMM_NULL, (int *argc, char ***argv), (argc, argv))
PLAIN(LIFE, Init_thread, none, MPI_COMM_NULL,
      (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))
PLAIN(LIFE, Finalize, none, MPI_COMM_NULL, (void), ())
PLAIN(LIFE, Abort, none, MPI_COMM_NULL, (MPI_Comm comm, int errorcode), (comm, errorcode))

/* ---- Messages ---- */

COUNTED(SEND, Send, Isend, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
        (buf, count, datatype, dest, tag, comm))
COUNTED(SEND, Ssend, Issend, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
        (buf, count, datatype, dest, tag, comm))
COUNTED(SEND, Rsend, Irsend, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
        (buf, count, datatype, dest, tag, comm))
COUNTED(OWN, Recv, none, MPI_COMM_NULL,
        (void *buf, COUNT count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
         MPI_Status *status),
        (buf, count, datatype, source, tag, comm, status))
COUNTED(OWN, Mrecv, none, MPI_COMM_NULL,
        (void *buf, COUNT count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status),
        (buf, count, datatype, message, status))
COUNTED(OWN, Sendrecv, none, MPI_COMM_NULL,
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, int sendtag,
         void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, int source, int recvtag,
         MPI_Comm comm, MPI_Status *status),
        (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
         comm, status))
PLAIN(OWN, Wait, none, MPI_COMM_NULL, (MPI_Request * request, MPI_Status *status),
      (request, status))
PLAIN(OWN, Waitall, none, MPI_COMM_NULL,
      (int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]),
      (count, array_of_requests, array_of_statuses))
PLAIN(OWN, Waitany, none, MPI_COMM_NULL,
      (int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status),
      (count, array_of_requests, indx, status))
PLAIN(OWN, Waitsome, none, MPI_COMM_NULL,
      (int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
       MPI_Status array_of_statuses[]),
      (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
PLAIN(OWN, Probe, none, MPI_COMM_NULL, (int source, int tag, MPI_Comm comm, MPI_Status *status),
      (source, tag, comm, status))
PLAIN(OWN, Mprobe, none, MPI_COMM_NULL,
      (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
      (source, tag, comm, message, status))
COUNTED(WAITS, Bsend, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
        (buf, count, datatype, dest, tag, comm))
COUNTED(WAITS, Sendrecv_replace, none, MPI_COMM_NULL,
        (void *buf, COUNT count, MPI_Datatype datatype, int dest, int sendtag, int source,
         int recvtag, MPI_Comm comm, MPI_Status *status),
        (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))
COUNTED(WAITS, Buffer_detach, none, MPI_COMM_NULL, (void *buffer_addr, COUNT *size),
        (buffer_addr, size))
COUNTED(LOCAL, Isend, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, dest, tag, comm, request))
COUNTED(LOCAL, Ibsend, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, dest, tag, comm, request))
COUNTED(LOCAL, Issend, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, dest, tag, comm, request))
COUNTED(LOCAL, Irsend, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, dest, tag, comm, request))
COUNTED(LOCAL, Irecv, none, MPI_COMM_NULL,
        (void *buf, COUNT count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, source, tag, comm, request))
COUNTED(LOCAL, Imrecv, none, MPI_COMM_NULL,
        (void *buf, COUNT count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request),
        (buf, count, datatype, message, request))
PLAIN(LOCAL, Iprobe, none, MPI_COMM_NULL,
      (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
      (source, tag, comm, flag, status))
PLAIN(LOCAL, Improbe, none, MPI_COMM_NULL,
      (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
      (source, tag, comm, flag, message, status))
PLAIN(LOCAL, Test, none, MPI_COMM_NULL, (MPI_Request * request, int *flag, MPI_Status *status),
      (request, flag, status))
PLAIN(LOCAL, Testall, none, MPI_COMM_NULL,
      (int count, MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[]),
      (count, array_of_requests, flag, array_of_statuses))
PLAIN(LOCAL, Testany, none, MPI_COMM_NULL,
      (int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status),
      (count, array_of_requests, indx, flag, status))
PLAIN(LOCAL, Testsome, none, MPI_COMM_NULL,
      (int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
       MPI_Status array_of_statuses[]),
      (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
PLAIN(LOCAL, Request_get_status, none, MPI_COMM_NULL,
      (MPI_Request request, int *flag, MPI_Status *status), (request, flag, status))
PLAIN(LOCAL, Request_free, none, MPI_COMM_NULL, (MPI_Request * request), (request))
PLAIN(LOCAL, Cancel, none, MPI_COMM_NULL, (MPI_Request * request), (request))
PLAIN(LOCAL, Start, none, MPI_COMM_NULL, (MPI_Request * request), (request))
PLAIN(LOCAL, Startall, none, MPI_COMM_NULL, (int count, MPI_Request array_of_requests[]),
      (count, array_of_requests))
COUNTED(LOCAL, Send_init, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, dest, tag, comm, request))
COUNTED(LOCAL, Bsend_init, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, dest, tag, comm, request))
COUNTED(LOCAL, Ssend_init, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, dest, tag, comm, request))
COUNTED(LOCAL, Rsend_init, none, MPI_COMM_NULL,
        (const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, dest, tag, comm, request))
COUNTED(LOCAL, Recv_init, none, MPI_COMM_NULL,
        (void *buf, COUNT count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buf, count, datatype, source, tag, comm, request))
