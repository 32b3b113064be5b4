/* Contended locks and threads in the report as JSON. */
#include <stdlib.h>

#include "analyzer/writers/json_values.h"
#include "analyzer/writers/lock_columns.h"

static const char *const kinds[] = {
#define KIND(upper, lower) #lower,
    RBDPROF_LOCK_KINDS(KIND)
#undef KIND
};

static const char *const bases[] = {[HOLD_BLOCKING] = "blocking", [HOLD_SAMPLED] = "sampled", [HOLD_ALL] = "all"};

/* A place in code; null when it is not known. */
static void put_site(struct json_object *object, const char *key, const struct report *report, const struct process *process,
		     uint64_t address)
{
	put_text(object, key, address ? names_site(report->locks.names, process, address) : NULL);
}

static struct json_object *nested(const struct edge_row *edge)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < NESTED_MAX && edge->nested[i].row; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "name", edge->nested[i].row->name);
		put_text(object, "kind", kinds[edge->nested[i].row->kind]);
		put_count(object, "count", edge->nested[i].count);
		put_count(object, "wait_ns", edge->nested[i].wait_ns);
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *edges(const struct report *report, const struct lock_row *row)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < row->edge_count; i++) {
		const struct edge_row *edge = &row->edges[i];
		struct json_object *object;

		if (!report_edge_wanted(report, edge))
			continue;
		object = json_object_new_object();
		put_text(object, "waiter_thread", *edge->key.waiter ? edge->key.waiter : NULL);
		put_site(object, "waiter_site", report, row->process, edge->key.waiter_site);
		put_text(object, "holder_thread", edge->key.holder && *edge->key.holder ? edge->key.holder : NULL);
		put_known(object, "holder_tid", edge->key.holder_tid);
		put_site(object, "holder_site", report, row->process, edge->key.holder_site);
		put_count(object, "count", edge->count);
		put_count(object, "wait_ns", edge->wait_ns);
		put(object, "nested", nested(edge));
		json_object_array_add(list, object);
	}
	return list;
}

/* A distribution, or only its count and mean where single values were not recorded. */
static struct json_object *holds(const struct lock_row *row)
{
	struct json_object *object = dist(&row->hold);

	if (object || !row->hold_count)
		return object;
	object = json_object_new_object();
	put_count(object, "count", row->hold_count);
	put_count(object, "mean", (uint64_t)(lock_row_hold_mean(row) + 0.5));
	put(object, "p50", NULL);
	put(object, "p90", NULL);
	put(object, "p99", NULL);
	put(object, "p999", NULL);
	put(object, "max", NULL);
	return object;
}

static struct json_object *timed(const struct lock_row *row)
{
	struct json_object *object;

	if (!row->timed.holds)
		return NULL;
	object = json_object_new_object();
	put_count(object, "count", row->timed.holds);
	put_count(object, "mean", (row->timed.hold_ns + row->timed.holds / 2) / row->timed.holds);
	return object;
}

static struct json_object *row_object(const struct report *report, const struct lock_row *row)
{
	struct json_object *object = json_object_new_object();

	put_text(object, "name", row->name);
	put(object, "inferred", json_object_new_boolean(row->inferred));
	put_text(object, "kind", kinds[row->kind]);
	put_known(object, "pid", row->process->pid);
	put_text(object, "image", row->image ? row->image->name : NULL);
	put_count(object, "instances", row->instances);
	put(object, "acquisitions", row->counted ? json_object_new_uint64(row->acquisitions) : NULL);
	put(object, "uncounted", row->counted ? json_object_new_uint64(row->uncounted) : NULL);
	put_count(object, "contended", row->contended);
	put_count(object, "failed", row->failed);
	put_count(object, "open", row->open);
	put_known(object, "open_max_ns", row->open_max_ns);
	put(object, "wait", dist(&row->wait));
	put_count(object, "wait_ns", row->waited_ns);
	put(object, "hold", holds(row));
	put_text(object, "hold_basis", bases[row->basis]);
	put(object, "timed_holds", timed(row));
	put_count(object, "requests_delayed", row->delay.count);
	put_count(object, "requests_delayed_in_call", row->exact);
	put_count(object, "requests_delayed_meanwhile", row->overlapping);
	put(object, "delay", dist(&row->delay));
	put_count(object, "submitters_wait_ns", row->submitters_ns);
	put(object, "edges", edges(report, row));
	return object;
}

struct json_object *json_locks(const struct report *report)
{
	struct json_object *list = json_object_new_array();

	for (int conditions = 0; conditions < 2; conditions++) {
		size_t count;
		const struct lock_row **rows = report_lock_rows(report, conditions, &count);

		for (size_t i = 0; rows && i < count; i++)
			json_object_array_add(list, row_object(report, rows[i]));
		free(rows);
	}
	return list;
}

static struct json_object *share(double value)
{
	return value < 0 ? NULL : number(value);
}

static struct json_object *second(const struct load *load, const struct process *process)
{
	struct json_object *object;

	if (!load->span_ns)
		return NULL;
	object = json_object_new_object();
	put(object, "begin_ns", json_object_new_int64((int64_t)load->begin_ns + process->clock_offset_ns));
	put_count(object, "span_ns", load->span_ns);
	put(object, "cpu_share", share(load_cpu_share(load)));
	put(object, "run_queue_share", share(load_run_queue_share(load)));
	return object;
}

struct json_object *json_threads(const struct report *report)
{
	static const char *const pressures[] = {[PRESSURE_SATURATED] = "saturated", [PRESSURE_STARVED] = "starved"};
	struct json_object *list = json_object_new_array();

	for (const struct process *p = model_process_next(report->model, NULL); p; p = model_process_next(report->model, p)) {
		for (const struct task *task = threads_next(&p->tasks, NULL); task; task = threads_next(&p->tasks, task)) {
			struct json_object *object;

			if (!report_thread_wanted(report, task->name))
				continue;
			object = json_object_new_object();
			put_known(object, "tid", task->tid);
			put_known(object, "pid", p->pid);
			put_text(object, "name", *task->name ? task->name : NULL);
			put(object, "cpu_share", share(load_cpu_share(&task->all)));
			put(object, "run_queue_share", share(load_run_queue_share(&task->all)));
			put_known(object, "observed_ns", task->all.span_ns);
			put(object, "busiest_second", second(&task->busiest, p));
			put(object, "hungriest_second", second(&task->hungriest, p));
			put_text(object, "pressure", pressures[load_pressure(&task->all)]);
			json_object_array_add(list, object);
		}
	}
	return list;
}

struct json_object *json_processes(const struct report *report)
{
	struct json_object *list = json_object_new_array();

	for (const struct process *p = model_process_next(report->model, NULL); p; p = model_process_next(report->model, p)) {
		const struct host_load *host = &p->tasks.host;
		struct json_object *object = json_object_new_object();

		put_known(object, "pid", p->pid);
		put_text(object, "comm", *p->comm ? p->comm : NULL);
		put_text(object, "host", *p->host ? p->host : NULL);
		put_known(object, "processors", host->processors);
		put(object, "quota", host->quota_milli ? number(host->quota_milli / 1000.0) : NULL);
		put(object, "throttled_share", share(host_throttled_share(host)));
		put(object, "steal_share", share(host_steal_share(host)));
		json_object_array_add(list, object);
	}
	return list;
}
