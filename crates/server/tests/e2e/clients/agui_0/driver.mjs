const { drive } = await import(`${process.env.DRIVER_LIB}/agui.mjs`);
await drive((name) => import(name));
