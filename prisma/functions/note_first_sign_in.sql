-- Keeps a person's first session, which is never on a new device.
CREATE OR REPLACE FUNCTION note_first_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO first_sign_ins (user_id, session_id) VALUES (NEW.user_id, NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER panel_sessions_note_first AFTER INSERT ON panel_sessions
  FOR EACH ROW EXECUTE FUNCTION note_first_sign_in();
