-- The filters that people saved under a name, at most 20 per list.
CREATE TABLE saved_filters (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  list TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL
);
CREATE UNIQUE INDEX saved_filters_user_id_list_name_key ON saved_filters (user_id, list, name);
