# Made by `npm run generate` from the OpenAPI document. Edit tools/clients, not this file.
