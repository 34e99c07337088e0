-- Money is in cents, without VAT. Days are ISO dates.
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT NOT NULL CHECK (country IN ('BE', 'NL', 'DE', 'FR')),
    since TEXT NOT NULL
);
CREATE TABLE sites (
    id INTEGER PRIMARY KEY,
    customer INTEGER NOT NULL REFERENCES customers(id),
    city TEXT NOT NULL
);
CREATE TABLE invoices (
    number TEXT PRIMARY KEY,
    customer INTEGER NOT NULL REFERENCES customers(id),
    day TEXT NOT NULL,
    cents INTEGER NOT NULL
);
