#ifndef HY_TESTS_SERVICE_ASKING_H
#define HY_TESTS_SERVICE_ASKING_H

/*
 * The interface of the asking driver. The input has four floats: a request and up to three
 * arguments. The output has the status of the host's function and up to three results.
 */
enum asking_request {
    ASK_LOCK, /* exclusive (0, 1), milliseconds until the deadline (-1: none) */
    ASK_UNLOCK,
    ASK_LOCK_PIPE,    /* a descriptor of a pipe; 1: the write end */
    ASK_BEGIN,        /* 1: for an unused token */
    ASK_COMMIT,       /* keep (0, 1), the first byte of the new file */
    ASK_CONTENT,      /* returns the first byte of the file used by prepare */
    ASK_WRITE,        /* byte to write into the file, under a lock */
    ASK_STORE_DIGEST, /* first byte of the digest */
    ASK_FIND_DIGEST,
    ASK_STORE_BLOB, /* first byte of the blob */
    ASK_LOAD_BLOB,  /* returns length and first byte */
    ASK_REMOVE_BLOB,
    ASK_POST_TASK, /* a background task with a run counter */
    ASK_TASK_RUNS, /* returns the number of runs */
    ASK_LOG,       /* logs a line at the lowest level */
    ASK_REQUESTS
};

#define ASKING_NUMBERS 4u

#endif
