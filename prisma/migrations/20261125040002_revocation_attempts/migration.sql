-- Calls of POST /auth/revoke in the last minute, by IPv4 address or IPv6 /64.
CREATE TABLE "revocation_attempts" (
    "id" UUID NOT NULL,
    "ip_group" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "revocation_attempts_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "revocation_attempts_ip_group_created_at_idx" ON "revocation_attempts"("ip_group", "created_at");

CREATE INDEX "revocation_attempts_created_at_idx" ON "revocation_attempts"("created_at");
