-- The specification's name for the state.
ALTER TYPE "device_request_status" RENAME VALUE 'refused' TO 'denied';

-- DropIndex
DROP INDEX "device_requests_user_code_hash_idx";

-- AlterTable
ALTER TABLE "device_requests" ADD COLUMN     "decided_ip" TEXT,
ADD COLUMN     "approver_mark" BYTEA;

-- CreateTable
CREATE TABLE "wrong_user_codes" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "given_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "wrong_user_codes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "wrong_user_codes_user_id_given_at_idx" ON "wrong_user_codes"("user_id", "given_at");

-- CreateIndex
CREATE INDEX "wrong_user_codes_given_at_idx" ON "wrong_user_codes"("given_at");

-- CreateIndex
CREATE UNIQUE INDEX "device_requests_user_code_hash_key" ON "device_requests"("user_code_hash");

-- CreateIndex
CREATE INDEX "device_requests_created_at_idx" ON "device_requests"("created_at");
