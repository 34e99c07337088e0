-- Usage of a month by site: days on which at least one plan was saved, and plans altogether.
SELECT customers.name AS customer,
       sites.city AS city,
       COUNT(DISTINCT plans.day) AS days,
       COALESCE(SUM(plans.saved), 0) AS plans
FROM sites
JOIN customers ON customers.id = sites.customer
LEFT JOIN plans ON plans.site = sites.id AND strftime('%Y-%m', plans.day) = :month
GROUP BY sites.id
ORDER BY customers.name, sites.city;
