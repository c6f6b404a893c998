-- Who gets a notice of a type. `person`: the owner of the key or whom the notice is about. Null: an organization's key.
CREATE OR REPLACE FUNCTION notice_recipients(notice_type text, tenant uuid, person uuid) RETURNS uuid[]
LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN :noticeRecipientsByType ->> notice_type = 'admins' OR person IS NULL THEN admins_of(tenant)
    ELSE ARRAY[person]
  END
$$;
