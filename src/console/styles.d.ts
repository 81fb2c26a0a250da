/** The bundler collects what is imported from style sheets. */
declare module "*.css";
