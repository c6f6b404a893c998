-- pending_deliveries_list_idx replaces it.
DROP INDEX CONCURRENTLY "pending_deliveries_tenant_id_delivery_id_idx";
