-- The table that a day partition belongs to.
CREATE OR REPLACE FUNCTION parent_of_partition(part text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF part !~ '^(events|deliveries|delivery_attempts)_[0-9]{8}$' THEN
    RAISE EXCEPTION '% is not a day partition', part USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN left(part, -9);
END
$$;
