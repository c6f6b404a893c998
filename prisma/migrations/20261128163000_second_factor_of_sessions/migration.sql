-- Sessions that began before count as begun with a password alone until a passkey or a code confirms them.
ALTER TABLE panel_sessions ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
