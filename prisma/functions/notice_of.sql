-- A notice of one occurrence, for write_notice.
CREATE OR REPLACE FUNCTION notice_of(type text, occurrence text, subject_type text, subject_id text, subject_name text,
  details jsonb) RETURNS notices LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_populate_record(NULL::notices, jsonb_build_object('type', type, 'occurrence', occurrence,
    'subject_type', subject_type, 'subject_id', subject_id, 'subject_name', subject_name, 'details', details))
$$;
