-- Customers who signed in a month and how many there are at its end, by country.
SELECT country,
       SUM(strftime('%Y-%m', since) = :month) AS signed,
       COUNT(*) AS customers
FROM customers
WHERE strftime('%Y-%m', since) <= :month
GROUP BY country
ORDER BY country;
