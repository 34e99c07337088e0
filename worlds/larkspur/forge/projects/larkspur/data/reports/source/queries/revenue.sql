-- Revenue of a month by country: what was invoiced in it, without VAT, in euros. Credit notes are negative.
SELECT customers.country AS country,
       COUNT(DISTINCT customers.id) AS customers,
       SUM(invoices.cents) / 100.0 AS revenue
FROM invoices
JOIN customers ON customers.id = invoices.customer
WHERE strftime('%Y-%m', invoices.day) = :month
GROUP BY customers.country
ORDER BY customers.country;
