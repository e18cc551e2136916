#ifndef HY_DRIVERD_OOM_SCORE_H
#define HY_DRIVERD_OOM_SCORE_H

/* Makes this process one that the kernel kills sooner than others when memory runs out: sooner than
 * the app that it serves, and than the doorman. To be called before it is confined; where it cannot
 * be, nothing changes. */
void hy_oom_score_raise(void);

#endif
