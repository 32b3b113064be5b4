/* The rules about processors: threads that are always on one, and threads that wait for one. */
#include "analyzer/core/evidence.h"

int judge_cpu_starved(const struct evidence *evidence, struct verdict *verdict)
{
	(void)evidence;
	(void)verdict;
	return 0;
}

int judge_one_thread(const struct evidence *evidence, struct verdict *verdict)
{
	(void)evidence;
	(void)verdict;
	return 0;
}
