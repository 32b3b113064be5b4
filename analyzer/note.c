/* json-c, a temporary name, and a rename. */
#include "analyzer/note.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include <json-c/json.h>

#include "analyzer/recording.h"

static struct json_object *make(const struct note *note)
{
	struct json_object *all = json_object_new_object(), *words = json_object_new_array();

	for (char *const *word = note->command; *word; word++)
		json_object_array_add(words, json_object_new_string(*word));
	json_object_object_add(all, "version", json_object_new_string(RBDPROF_VERSION));
	json_object_object_add(all, "command", words);
	json_object_object_add(all, "attached", json_object_new_boolean(note->attached));
	json_object_object_add(all, "begin_ns", json_object_new_int64(note->begin_ns));
	json_object_object_add(all, "end_ns", json_object_new_int64(note->end_ns));
	json_object_object_add(all, "status", note->status < 0 ? NULL : json_object_new_int(note->status));
	json_object_object_add(all, "processes_traced", json_object_new_int64(note->processes_traced));
	json_object_object_add(all, "processes_refused", json_object_new_int64(note->processes_refused));
	json_object_object_add(all, "stopped_early", note->stopped_early ? json_object_new_string(note->stopped_early) : NULL);
	return all;
}

int note_write(const struct note *note, const char *folder)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	struct json_object *all;
	int result = 0;

	if (snprintf(path, sizeof(path), "%s/" RECORDING_NOTE, folder) >= (int)sizeof(path) ||
	    snprintf(temporary, sizeof(temporary), "%s/." RECORDING_NOTE, folder) >= (int)sizeof(temporary))
		return -ENAMETOOLONG;
	all = make(note);
	if (json_object_to_file_ext(temporary, all, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE) || rename(temporary, path)) {
		result = errno ? -errno : -EIO;
		unlink(temporary);
	}
	json_object_put(all);
	return result;
}
