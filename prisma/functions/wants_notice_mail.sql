-- Whether a person wants mail for notices of a type.
CREATE OR REPLACE FUNCTION wants_notice_mail(person uuid, notice_type text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT CASE notice_category(notice_type)
      WHEN 'webhooks' THEN email_webhooks
      WHEN 'api_keys' THEN email_api_keys
      ELSE email_security
    END
    FROM notification_settings WHERE user_id = person
  ), true)
$$;
