/**
 * WebShop (Yao et al. 2022, arXiv 2207.01206) in the JVM: its own data files, search ranking, pages
 * and reward. {@link org.vstar.env.webshop.catalog.WebShopData} is opened once and shared by all
 * sessions.
 */
package org.vstar.env.webshop;
