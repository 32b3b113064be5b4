#include "analyzer/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json-c/json.h>

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add_trace(struct recording *recording, const char *folder)
{
	char **grown = realloc(recording->traces, (recording->trace_count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	recording->traces = grown;
	grown[recording->trace_count] = strdup(folder);
	if (!grown[recording->trace_count])
		return -ENOMEM;
	recording->trace_count++;
	return 0;
}

static int find_traces(struct recording *recording)
{
	char *const roots[] = {recording->folder, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	int err = 0;

	if (!tree)
		return -errno;
	while (!err && (entry = fts_read(tree))) {
		if (entry->fts_info != FTS_F || strcmp(entry->fts_name, "metadata") != 0)
			continue;
		entry->fts_path[entry->fts_pathlen - entry->fts_namelen - 1] = '\0';
		err = add_trace(recording, entry->fts_path);
		entry->fts_path[entry->fts_pathlen - entry->fts_namelen - 1] = '/';
	}
	fts_close(tree);
	return err;
}

/* The words of the command with blanks between them. */
static char *join(struct json_object *words)
{
	size_t length = 1;
	char *line;

	for (size_t i = 0; i < json_object_array_length(words); i++)
		length += strlen(json_object_get_string(json_object_array_get_idx(words, i)) ?: "") + 1;
	line = calloc(1, length);
	for (size_t i = 0; line && i < json_object_array_length(words); i++) {
		if (i > 0)
			strcat(line, " ");
		strcat(line, json_object_get_string(json_object_array_get_idx(words, i)) ?: "");
	}
	return line;
}

static int64_t get_int(struct json_object *note, const char *key, int64_t otherwise)
{
	struct json_object *value;

	return json_object_object_get_ex(note, key, &value) && json_object_is_type(value, json_type_int) ? json_object_get_int64(value)
													 : otherwise;
}

static int read_note(struct recording *recording)
{
	char path[4096 + sizeof(RECORDING_NOTE) + 1];
	struct json_object *note, *value;
	struct stat st;

	recording->status = -1;
	recording->processes_traced = recording->processes_refused = -1;
	snprintf(path, sizeof(path), "%s/%s", recording->folder, RECORDING_NOTE);
	if (stat(path, &st) < 0)
		return 0;
	note = json_object_from_file(path);
	if (!json_object_is_type(note, json_type_object)) {
		json_object_put(note);
		return -EBADMSG;
	}
	recording->noted = true;
	recording->begin_ns = get_int(note, "begin_ns", 0);
	recording->end_ns = get_int(note, "end_ns", 0);
	recording->status = (int)get_int(note, "status", -1);
	recording->processes_traced = get_int(note, "processes_traced", -1);
	recording->processes_refused = get_int(note, "processes_refused", -1);
	if (json_object_object_get_ex(note, "command", &value) && json_object_is_type(value, json_type_array))
		recording->command = join(value);
	if (json_object_object_get_ex(note, "attached", &value))
		recording->attached = json_object_get_boolean(value);
	if (json_object_object_get_ex(note, "stopped_early", &value) && json_object_is_type(value, json_type_string))
		recording->stopped_early = strdup(json_object_get_string(value));
	json_object_put(note);
	return 0;
}

int recording_init(struct recording *recording, const char *folder)
{
	struct stat st;
	int err, note;

	memset(recording, 0, sizeof(*recording));
	if (stat(folder, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	recording->folder = realpath(folder, NULL);
	if (!recording->folder)
		return -errno;
	note = read_note(recording);
	err = find_traces(recording);
	if (err)
		recording_fini(recording);
	return err ? err : note;
}

void recording_fini(struct recording *recording)
{
	for (size_t i = 0; i < recording->trace_count; i++)
		free(recording->traces[i]);
	free(recording->traces);
	free(recording->folder);
	free(recording->command);
	free(recording->stopped_early);
	memset(recording, 0, sizeof(*recording));
}

char *recording_newest(const char *parent)
{
	struct timespec newest = {0, 0};
	struct dirent *entry;
	char *found = NULL;
	DIR *dir = opendir(parent);

	while (dir && (entry = readdir(dir))) {
		char *path = NULL;
		struct stat st;

		if (entry->d_name[0] == '.' || asprintf(&path, "%s/%s/" RECORDING_NOTE, parent, entry->d_name) < 0)
			continue;
		if (stat(path, &st) == 0 &&
		    (st.st_mtim.tv_sec > newest.tv_sec || (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec > newest.tv_nsec))) {
			newest = st.st_mtim;
			free(found);
			*strrchr(path, '/') = '\0';
			found = path;
		} else {
			free(path);
		}
	}
	if (dir)
		closedir(dir);
	return found;
}
